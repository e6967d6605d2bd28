#!/bin/sh
text=$(sed 's/[\\"]/\\&/g; s/$/\\n/' | tr -d '\n')
printf '{"model": "qwen3:8b", "stream": false, "think": false, "format": "json", "prompt": "%s"}' "$text" |
  curl -sSf -d @- http://127.0.0.1:11434/api/generate | tr -d '\n' |
  sed -nE 's/.*"response": *"(([^"\\]|\\.)*)".*/\1/p' | sed -E 's/\\[nt]/ /g; s/\\(.)/\1/g'
