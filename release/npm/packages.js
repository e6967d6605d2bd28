// Makes the npm packages of a release: the launcher, and the program for each machine.
//
//   node packages.js DIST TO [LICENCES]
'use strict';

const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const [dist, to, licences = 'THIRD_PARTY_LICENSES'] = process.argv.slice(2);
const top = path.join(__dirname, '..', '..');
const scoped = '@cameronsjo/springfield'; // the plain name belongs to another project
const repository = 'https://github.com/cameronsjo/springfield';
const { version } = JSON.parse(fs.readFileSync(path.join(dist, 'metadata.json')));
if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version)) throw new Error(`version ${version}: npm wants one like 1.2.3 or 1.2.3-rc.1`);
const listed = fs.readFileSync(path.join(dist, 'SHA256SUMS'), 'utf8').split('\n').map((line) => line.split('  '));
const sums = new Map(listed.map(([sum, name]) => [name, sum]));
const page = fs.readFileSync(path.join(__dirname, 'README.md'), 'utf8');

// write makes a package: what all have, and what is its own.
function write(name, own, readme, programs) {
  const dir = path.join(to, name.split('/')[1]);
  const files = {
    'package.json': JSON.stringify({
      name, version, homepage: `${repository}#readme`, bugs: { url: `${repository}/issues` },
      repository: { type: 'git', url: `git+${repository}.git` }, license: 'MIT', files: ['bin', 'THIRD_PARTY_LICENSES'],
      publishConfig: { access: 'public', provenance: true }, ...own,
    }, null, 2) + '\n',
    'README.md': readme,
    LICENSE: fs.readFileSync(path.join(top, 'LICENSE')),
    THIRD_PARTY_LICENSES: fs.readFileSync(licences),
    ...programs,
  };
  fs.mkdirSync(path.join(dir, 'bin'), { recursive: true });
  for (const [file, data] of Object.entries(files)) {
    fs.writeFileSync(path.join(dir, file), data);
    fs.chmodSync(path.join(dir, file), file.startsWith('bin/') ? 0o755 : 0o644); // npm pack takes modes as they are
  }
}

const packages = [];
for (const [os, system] of [['linux', 'linux'], ['darwin', 'darwin'], ['win32', 'windows']]) {
  for (const [cpu, processor] of [['x64', 'amd64'], ['arm64', 'arm64']]) {
    const end = os === 'win32' ? '.exe' : '';
    const asset = `springfield-${system}-${processor}${end}`;
    const program = fs.readFileSync(path.join(dist, asset));
    const sum = createHash('sha256').update(program).digest('hex');
    if (sum !== sums.get(asset)) throw new Error(`${asset} has the checksum ${sum}, and SHA256SUMS says ${sums.get(asset)}`);
    packages.push({ name: `${scoped}-${os}-${cpu}`, os, cpu, program, file: `bin/springfield${end}` });
  }
}
for (const { name, os, cpu, program, file } of packages) {
  // yarn keeps packages in archives, from which no program can start, unless they ask for the opposite.
  const own = { description: `The springfield program for ${os} ${cpu}`, os: [os], cpu: [cpu], preferUnplugged: true };
  write(name, own, `# ${name}\n\nThe springfield program for one kind of machine. It comes with ${scoped}: install that one.\n`, { [file]: program });
}
write(scoped, {
  description: 'Keep coding agents going while work remains',
  keywords: ['claude-code', 'codex', 'copilot', 'gemini-cli', 'qwen-code', 'stop-hook', 'plugin', 'cli'],
  bin: { springfield: 'bin/springfield.js' }, engines: { node: '>=18' },
  optionalDependencies: Object.fromEntries(packages.map(({ name }) => [name, version])),
}, page, { 'bin/springfield.js': fs.readFileSync(path.join(__dirname, 'springfield.js')) });
