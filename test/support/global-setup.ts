// One database server for the whole run; suites take a database of their own from it.
export default function setup(): void {}
