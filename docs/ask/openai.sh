#!/bin/sh
text=$(sed 's/[\\"]/\\&/g; s/$/\\n/' | tr -d '\n')
printf '{"model": "gpt-5-mini", "response_format": {"type": "json_object"}, "messages": [{"role": "user", "content": "%s"}]}' "$text" |
  curl -sSf -H 'Content-Type: application/json' -H @/dev/fd/3 -d @- https://api.openai.com/v1/chat/completions 3<<KEY | tr -d '\n' |
Authorization: Bearer $OPENAI_API_KEY
KEY
  sed -nE 's/.*"content": *"(([^"\\]|\\.)*)".*/\1/p' | sed -E 's/\\[nt]/ /g; s/\\(.)/\1/g'
