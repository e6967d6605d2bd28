package hook

const nonblock = 0
