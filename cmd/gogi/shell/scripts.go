package shell

import (
	"fmt"
	"strings"
)

// Shells returns the names of the shells that Script supports.
func Shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

// Script returns the completion script for a shell. The script runs `PROGRAM complete -- WORD…`, which prints
// one candidate per line, with a tab before its help. Without candidates the shell offers files.
func Script(shell, program string) (string, error) {
	text, ok := scripts[shell]
	if !ok {
		return "", fmt.Errorf("there is no completion for %q: expected one of %s", shell, strings.Join(Shells(), ", "))
	}
	return strings.ReplaceAll(text, "PROGRAM", program), nil
}

// scripts has the completion script of each shell. Candidates such as run names come from databases, which
// other people may have written. So a script quotes each candidate. The candidate stays one word, and the
// shell runs no part of it. The program receives the words without the user's quotes. No script evaluates the
// typed text.
//
// bash splits words at = and :, so the script cannot use bash's list of words. It reads COMP_LINE up to the
// cursor. bash replaces only the end of the word, $2, so a candidate must not repeat the typed part before
// $2.
var scripts = map[string]string{
	"bash": `# bash completion of PROGRAM: source <(PROGRAM completion bash)
_PROGRAM_words() { # sets words to those of $1 without their quotes, and quote to one that is open
    local text=$1 word= begun= c i
    words=() quote=
    for ((i = 0; i < ${#text}; i++)); do
        c=${text:i:1}
        case $quote$c in
            "''" | '""') quote= ;;
            "'"?) word+=$c ;;
            \\ | '"\')
                ((i++))
                c=${text:i:1}
                [[ -n $quote && $c != [\$\` + "`" + `\"\\] ]] && word+=\\
                word+=$c begun=1 ;;
            '"'?) word+=$c ;;
            "'" | '"') quote=$c begun=1 ;;
            [[:space:]])
                [[ -n $begun ]] && words+=("$word")
                word= begun= ;;
            *) word+=$c begun=1 ;;
        esac
    done
    words+=("$word")
}
_PROGRAM_complete() {
    local words quote word cut line
    _PROGRAM_words "${COMP_LINE:0:COMP_POINT}"
    line=("${words[@]}")
    _PROGRAM_words "$quote$2"
    cut=${line[-1]%"${words[-1]}"}
    COMPREPLY=()
    while IFS=$'\t' read -r word _; do
        word=${word#"$cut"}
        case $quote in
            "'") word=${word//\'/\'\\\'\'} ;;
            '"')
                word=${word//\\/\\\\}
                word=${word//\"/\\\"}
                word=${word//\$/\\\$}
                word=${word//\` + "`" + `/\\\` + "`" + `}
                word=${word//!/\"\'!\'\"}
                word=${word/%\"\'!\'\"/!} ;; # at the end, before the closing quote, ! is a plain character
            *) [[ -n $word ]] && printf -v word %q "$word" ;;
        esac
        COMPREPLY+=("$word")
    done < <("${line[0]}" complete -- "${line[@]:1}" 2>/dev/null)
}
complete -o default -o bashdefault -F _PROGRAM_complete PROGRAM
`,
	"zsh": `#compdef PROGRAM
# zsh completion of PROGRAM: source <(PROGRAM completion zsh), or as _PROGRAM in a folder of fpath
_PROGRAM() {
    local -a found
    local word help
    while IFS=$'\t' read -r word help; do
        word=${word//\\/\\\\}
        found+=("${word//:/\\:}${help:+:$help}")
    done < <("${words[1]}" complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)
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
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    # Its quotes may be open.
    set typed (string unescape -- $typed; or string unescape -- $typed\'; or string unescape -- $typed\")
    set -l found ($words[1] complete -- $words[2..] "$typed" 2>/dev/null)
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
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object {
        if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
    })
    $program, $words = $words
    $words = @($words | Where-Object { $_ })
    # Before 7.3, and where it is asked to, PowerShell drops empty arguments unless they are quoted twice.
    $empty = if ($PSNativeCommandArgumentPassing -and "$PSNativeCommandArgumentPassing" -ne 'Legacy') { '' } else { '""' }
    if ($wordToComplete -eq '') { $words += $empty }
    & $program complete '--' @words 2>$null | ForEach-Object {
        $word, $help = $_ -split [char]9, 2
        if (-not $help) { $help = $word }
        $text = $word
        if ($word -notmatch '^[-\w./:=+]+$') {
            $text = "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($word) + "'"
        }
        [System.Management.Automation.CompletionResult]::new($text, $word, 'ParameterValue', $help)
    }
}
`,
}
