#!/usr/bin/env node
// Starts the springfield program for this machine. It is in a package of its own, which npm has chosen by system and
// processor. Nothing is downloaded here.
'use strict';

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const tty = require('node:tty');
const { name, version, optionalDependencies: packages } = require('../package.json');

const wanted = `${name}-${process.platform}-${process.arch}`;

function fail(error, hint) {
  process.stderr.write(`springfield: error: ${error}\nspringfield: hint: ${hint}\n`);
  process.exit(1);
}

// The package.json of an installed package, undefined if the package is not installed.
function manifest(of) {
  try {
    return require.resolve(`${of}/package.json`);
  } catch {
    return undefined;
  }
}

// How this package was installed: by npx into its cache, into a project, or for every directory.
function place() {
  const folders = __dirname.split(path.sep);
  if (folders.includes('_npx')) return 'npx';
  const root = folders.slice(0, folders.indexOf('node_modules')).join(path.sep);
  return fs.existsSync(path.join(root, 'package.json')) ? 'project' : 'global';
}

// The command that installs the package for this machine.
function install() {
  const needed = `${wanted}@${version}`;
  switch (place()) {
    case 'npx':
      return `npx -p ${name}@${version} -p ${needed} springfield`;
    case 'project':
      return `npm install --no-save ${needed}`;
    default:
      return `npm install -g ${needed}`;
  }
}

// The path of the program. It ends the process where there is none.
function program() {
  if (!(wanted in packages)) {
    const known = Object.keys(packages).map((of) => of.slice(name.length + 1).replace('-', ' '));
    fail(
      `there is no springfield program for ${process.platform} ${process.arch}, only for ${known.join(', ')}`,
      `with Go 1.25 or later: go install github.com/cameronsjo/springfield/cmd/springfield@v${version}`,
    );
  }
  const file = manifest(wanted);
  if (!file) {
    const other = Object.keys(packages).find(manifest);
    const why = other ? `; ${other}, which is for another machine, is` : ': npm leaves it out with --omit=optional';
    fail(`the package with the program, ${wanted}, is not installed${why}`, install());
  }
  const found = require(file).version;
  if (found !== version) {
    fail(`${wanted} has version ${found}, and ${name} has version ${version}`, install());
  }
  return path.join(path.dirname(file), 'bin', process.platform === 'win32' ? 'springfield.exe' : 'springfield');
}

// Someone who uses npx has no springfield command, which all texts of the program name.
function noteNpx() {
  if (place() !== 'npx' || !tty.isatty(2)) return;
  const directories = (process.env.PATH || '').split(path.delimiter);
  const outside = directories.filter((dir) => dir && !dir.split(path.sep).includes('node_modules'));
  const command = process.platform === 'win32' ? 'springfield.cmd' : 'springfield';
  if (outside.some((dir) => fs.existsSync(path.join(dir, command)))) return;
  process.stderr.write(
    `springfield: note: type npx ${name} where texts say springfield.\n` +
      `  To have the command springfield: npm install -g ${name}\n`,
  );
}

function run() {
  const file = program();
  let child;
  // The program decides what a signal means, so it gets each one, and this process waits for it. A terminal sends its
  // own to both of them, and a second one would end the program at once, as any that node sends does on Windows.
  const told = process.platform === 'win32' || [0, 1, 2].some((fd) => tty.isatty(fd));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', process.platform === 'win32' ? 'SIGBREAK' : 'SIGQUIT']) {
    process.on(signal, () => {
      if (!told || (signal === 'SIGTERM' && process.platform !== 'win32')) child.kill(signal);
    });
  }
  child = spawn(file, process.argv.slice(2), { stdio: 'inherit' });
  child.on('error', (err) => fail(`start ${file}: ${err.message}`, install()));
  child.on('exit', (code, signal) => {
    if (signal === null) {
      noteNpx();
      process.exitCode = code;
      return;
    }
    // End in the same way, or else with the code by which a shell shows that signal.
    process.exitCode = 128 + os.constants.signals[signal];
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

run();
