# Installs springfield for you alone, in Windows PowerShell 5.1 or PowerShell 7:
#
#   irm https://github.com/cameronsjo/springfield/releases/latest/download/install.ps1 | iex
#
# It fetches one program and the release's checksums over https, compares them, and puts the program into
# %LOCALAPPDATA%\Programs\springfield. It needs no administrator. With options:
#
#   & ([scriptblock]::Create((irm https://github.com/cameronsjo/springfield/releases/latest/download/install.ps1))) -AddToPath
#
# Everything is in one block: a script that was cut on its way does nothing.
param(
    [string]$Dir,        # where to put the program
    [string]$Version,    # which release, like v0.1.0; without it the newest
    [string]$From,       # a copy of a release: the address of its folder, https only
    [switch]$AddToPath   # adds that directory to the PATH of your user
)

& {
    Set-StrictMode -Version 2
    $ErrorActionPreference = 'Stop'
    $PSNativeCommandUseErrorActionPreference = $false
    $project = 'https://github.com/cameronsjo/springfield'

    # exit would close the window of a user who typed irm and iex.
    function Fail([string]$Fault, [string]$Hint) {
        throw "springfield: error: $Fault`nspringfield: hint: $Hint"
    }

    # Get-FileHash is missing in a Windows PowerShell that was started by PowerShell 7.
    function Get-Digest([string]$File) {
        $bytes = [IO.File]::OpenRead($File)
        try { [BitConverter]::ToString([Security.Cryptography.SHA256]::Create().ComputeHash($bytes)).Replace('-', '').ToLowerInvariant() }
        finally { $bytes.Dispose() }
    }

    # The curl of Windows, with the same options as in install.sh.
    function Get-ReleaseFile([string]$Name) {
        $options = @(
            '--fail', '--silent', '--show-error', '--location', '--proto', $protocols, '--proto-redir', $protocols, '--tlsv1.2', '--no-insecure',
            '--connect-timeout', '20', '--speed-limit', '1000', '--speed-time', '30', '--max-time', '1800', '--max-filesize', '268435456'
        )
        & $curl @options --output (Join-Path $work $Name) "$site/$Name"
        if ($LASTEXITCODE -ne 0) { Fail "cannot fetch $site/$Name" "the releases: $project/releases; behind a proxy set HTTPS_PROXY" }
    }

    # What SHA256SUMS says of the program. A line without its end may be cut.
    function Get-ListedDigest {
        Get-ReleaseFile 'SHA256SUMS'
        $text = [IO.File]::ReadAllText((Join-Path $work 'SHA256SUMS'))
        $lines = [regex]::Matches($text, '(?m)^([0-9a-f]{64})  ' + [regex]::Escape($asset) + '\n')
        if ($lines.Count -ne 1) { Fail "$site/SHA256SUMS has $($lines.Count) lines for $asset" 'it may have been cut on its way: try again' }
        $lines[0].Groups[1].Value
    }

    # A running program cannot be overwritten, but it can be moved. The next installation removes what it leaves.
    function Move-IntoPlace([string]$Program) {
        $old = Join-Path $work 'old.exe'
        if ([IO.File]::Exists($target)) { [IO.File]::Move($target, $old) }
        try { [IO.File]::Move($Program, $target) }
        catch {
            if ([IO.File]::Exists($old)) { [IO.File]::Move($old, $target) }
            throw
        }
    }

    function Install-Program {
        Write-Output "Fetching $site/$asset"
        Get-ReleaseFile $asset
        $program = Join-Path $work $asset
        if ((Get-Digest $program) -ne $wanted) {
            Fail "$site/$asset does not have the SHA-256 that SHA256SUMS says; nothing was installed" 'try again: it may have been cut, or a release may just have been made'
        }
        $said = & $program --version
        if ($LASTEXITCODE -ne 0) { Fail "$asset was fetched and verified, but does not start" 'the lines above may say why' }
        Move-IntoPlace $program
        Write-Output "$said is installed: $target"
    }

    function Add-ToPath {
        $key = [Microsoft.Win32.Registry]::CurrentUser.OpenSubKey('Environment', $true)
        try {
            $path = [string]$key.GetValue('Path', '', 'DoNotExpandEnvironmentNames') # %NAME% in it stays as it is
            if (($path -split ';') -notcontains $folder) {
                $key.SetValue('Path', ($folder + ';' + $path).TrimEnd(';'), 'ExpandString')
                # Removing a variable that does not exist tells the desktop to read them all again.
                [Environment]::SetEnvironmentVariable('SPRINGFIELD_INSTALLED', $null, 'User')
            }
        }
        finally { $key.Close() }
        Write-Output "$folder is on your PATH in every new terminal."
    }

    function Write-Advice {
        if ($AddToPath) { Add-ToPath }
        elseif (($env:Path -split ';') -notcontains $folder) {
            Write-Output "$folder is not on your PATH. To add it for your user, type:"
            Write-Output ''
            Write-Output "    & ([scriptblock]::Create((irm $project/releases/latest/download/install.ps1))) -AddToPath -Dir '$($folder -replace "'", "''")'"
            Write-Output ''
        }
        $other = Get-Command springfield -CommandType Application -ErrorAction SilentlyContinue | Select-Object -First 1
        if ($other -and $other.Path -ne $target) {
            if ((Get-Digest $other.Path) -eq $wanted) { Write-Output "The same springfield is also at $($other.Path)." }
            else { Write-Output "Your PATH leads to another springfield: $($other.Path). Remove it, or put $folder before it." }
        }
    }

    if ($env:OS -ne 'Windows_NT') { Fail 'this script is for Windows' "on Linux and macOS: curl -fsSL $project/releases/latest/download/install.sh | sh" }
    $curl = Join-Path $env:SystemRoot 'System32\curl.exe'
    if (-not [IO.File]::Exists($curl)) { Fail "$curl is not here" 'Windows has it since version 1803; or fetch the program with a browser' }

    $protocols = '=https'
    if ($From -and $Version) { Fail '-From and -Version cannot be combined' '-From is the address of one release' }
    if ($From -cmatch '^http://(127\.0\.0\.1|localhost|\[::1\]):[0-9]+(/[^\s"]*)?\z') { $protocols = '=http,https' } # this machine, for tests
    elseif ($From -and $From -cnotmatch '^https://[^\s"]+\z') { Fail '-From takes an https address' 'the folder with SHA256SUMS and the programs' }
    if ($Version -and $Version -cnotmatch '^v?[0-9]+\.[0-9]+\.[0-9]+([-+][0-9A-Za-z.+-]+)?\z') { Fail "$Version is not a version" 'a version is like v0.1.0' }
    if ($From) { $site = $From.TrimEnd('/') }
    elseif ($Version) { $site = "$project/releases/download/v$($Version.TrimStart('v'))" }
    else { $site = "$project/releases/latest/download" }

    # What the machine is; variables say what this PowerShell was built for.
    $machine = (Get-ItemProperty 'HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager\Environment').PROCESSOR_ARCHITECTURE
    if (@('AMD64', 'ARM64') -notcontains $machine) { Fail "there is no release for Windows on $machine" 'with Go: go install github.com/cameronsjo/springfield/cmd/springfield@latest' }
    $asset = "springfield-windows-$($machine.ToLowerInvariant()).exe"

    $folder = $Dir
    if (-not $folder) { $folder = Join-Path $env:LOCALAPPDATA 'Programs\springfield' }
    $folder = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($folder).TrimEnd('\')
    $target = Join-Path $folder 'springfield.exe'
    if ([IO.Directory]::Exists($target)) { Fail "$target is a directory" 'remove it, or choose another place: -Dir DIR' }
    $fresh = -not [IO.Directory]::Exists($folder)
    $work = Join-Path $folder ('.springfield.' + [Guid]::NewGuid().ToString('N'))
    try { [void][IO.Directory]::CreateDirectory($work) }
    catch { Fail "cannot write to ${folder}: $($_.Exception.Message)" 'choose a directory that you may write to: -Dir DIR' }
    try {
        $wanted = Get-ListedDigest
        if ([IO.File]::Exists($target) -and (Get-Digest $target) -eq $wanted) { Write-Output "This springfield is already installed: $target" }
        else { Install-Program }
        $fresh = $false
        Write-Advice
    }
    finally {
        foreach ($left in [IO.Directory]::GetDirectories($folder, '.springfield.*')) {
            if ($left -eq $work -or [IO.File]::Exists((Join-Path $left 'old.exe'))) { Remove-Item -LiteralPath $left -Recurse -Force -ErrorAction SilentlyContinue }
        }
        if ($fresh) { try { [IO.Directory]::Delete($folder) } catch { $fresh = $false } }
    }
    Write-Output 'To begin, type: springfield'
}
