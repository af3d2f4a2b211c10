package shell

import (
	"fmt"
	"strings"
)

// Shells are those that Script knows.
func Shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

// Script is what a shell reads so that it completes the program's command lines. It asks
// the program itself, `PROGRAM complete -- WORD…`, which prints one candidate a line, a tab
// before its help. Where there is none the shell offers files.
func Script(shell, program string) (string, error) {
	text, ok := scripts[shell]
	if !ok {
		return "", fmt.Errorf("there is no completion for %q: expected one of %s", shell, strings.Join(Shells(), ", "))
	}
	return strings.ReplaceAll(text, "PROGRAM", program), nil
}

// The scripts. bash splits words at = and :, so its own list of words is of no use where
// these are; COMP_LINE up to the cursor, cut at blanks, is what was typed, and what was in
// front of the last such character must not come back (bash replaces only what follows it).
var scripts = map[string]string{
	"bash": `# bash completion of PROGRAM: source <(PROGRAM completion bash)
_PROGRAM_complete() {
    local line=${COMP_LINE:0:COMP_POINT} words word cut
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    word=${words[-1]}
    cut=${word%"${word##*[=:]}"}
    COMPREPLY=()
    while IFS=$'\t' read -r word _; do
        COMPREPLY+=("${word#"$cut"}")
    done < <("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null)
}
complete -o default -o bashdefault -F _PROGRAM_complete PROGRAM
`,
	"zsh": `#compdef PROGRAM
# zsh completion of PROGRAM: source <(PROGRAM completion zsh), or as _PROGRAM in a folder of fpath
_PROGRAM() {
    local -a found
    local word help
    while IFS=$'\t' read -r word help; do
        found+=("${word//:/\\:}${help:+:$help}")
    done < <("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
    if (( ${#found} )); then
        _describe 'PROGRAM' found
    else
        _files
    fi
}
if [ "$funcstack[1]" = "_PROGRAM" ]; then
    _PROGRAM "$@"
else
    compdef _PROGRAM PROGRAM
fi
`,
	"fish": `# fish completion of PROGRAM: PROGRAM completion fish | source
function __PROGRAM_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found ($words[1] complete -- $words[2..] 2>/dev/null)
    if test (count $found) -gt 0
        string join \n -- $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c PROGRAM -f -a '(__PROGRAM_complete)'
`,
	"powershell": `# PowerShell completion of PROGRAM: PROGRAM completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName PROGRAM -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
    $program, $words = $words
    $words = @($words | Where-Object { $_ })
    # Before 7.3, and where it is asked to, PowerShell drops empty arguments unless they are quoted twice.
    $empty = if ($PSNativeCommandArgumentPassing -and "$PSNativeCommandArgumentPassing" -ne 'Legacy') { '' } else { '""' }
    if ($wordToComplete -eq '') { $words += $empty }
    & $program complete '--' @words 2>$null | ForEach-Object {
        $word, $help = $_ -split [char]9, 2
        if (-not $help) { $help = $word }
        [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $help)
    }
}
`,
}
