package guard

const nonblock = 0
