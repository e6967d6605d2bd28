package backend

const nonblock = 0
