package web

import (
	"fmt"
	"strings"

	"gogi/diagram"
	"gogi/internal/format"
	"gogi/internal/phrases"
	"gogi/match"
	"gogi/report"
	"gogi/report/page"
	"gogi/stats"
)

// wording is what pages say of results in one tongue.
type wording interface {
	page.Words
	outcome(word string) string // black, white or draw
}

// words are a tongue's.
func (p *pages) words(in tongue) wording {
	if in == japanese {
		return inJapanese{}
	}
	return inEnglish{}
}

// inEnglish is what the command says.
type inEnglish struct{ page.English }

func (inEnglish) outcome(word string) string {
	switch word {
	case "black":
		return "Black won"
	case "white":
		return "White won"
	}
	return "drawn"
}

// inJapanese says the same in Japanese, from the same numbers.
type inJapanese struct{}

// Say is a phrase of the templates.
func (inJapanese) Say(phrase string, args ...any) string {
	return phrases.Say(japanese, phrase, args...)
}

func (inJapanese) outcome(word string) string {
	switch word {
	case "black":
		return "先手勝ち"
	case "white":
		return "後手勝ち"
	}
	return "引き分け"
}

// Verdict judges as the report does, whose Kind it keeps.
func (j inJapanese) Verdict(r *report.Report) report.Verdict {
	if r.Tournament != nil {
		return r.Competition(japanese)
	}
	v := r.Verdict()
	c, played := r.Pairing()
	if !played {
		return report.Verdict{Kind: v.Kind, Claim: fmt.Sprintf("判定なし：%s 対 %s のペアはまだ一つも終わっていません。", r.A, r.B)}
	}
	said := report.Verdict{Kind: v.Kind, Claim: j.claim(r, v.Kind)}
	if slowed := j.Slowed(r); slowed != "" {
		said.Claim += "ただし" + slowed + "。"
	}
	if !r.Finished {
		said.Reasons = append(said.Reasons, "途中経過を何度も見れば、互角でもいつかは良い結果が見えます。検定と区間は、予定した終わりでのみ成り立ちます（いつでも見てよい区間を除く）。")
	}
	said.Reasons = append(said.Reasons, fmt.Sprintf("%s の得点率は %s に対して %s局で %s：%s勝 %s分 %s敗。",
		r.A, r.B, format.Count(c.Games), format.Percent(c.Score), format.Count(c.Wins), format.Count(c.Draws), format.Count(c.Losses)))
	switch {
	case r.Gate != nil:
		said.Reasons = append(append(said.Reasons, j.Gate(r.Gate)+"。"), phrases.Each(japanese, r.Gate.Because)...)
	case v.Kind != "none":
		said.Reasons = append(said.Reasons, j.deciding(r)...)
	}
	said.Caveats = j.caveats(r)
	return said
}

// claim is the verdict in a sentence, by the same cases as the report's.
func (inJapanese) claim(r *report.Report, kind string) string {
	test, swapped := r.Deciding()
	switch {
	case !r.Finished:
		return fmt.Sprintf("まだ判定できません：%sペア中 %sペアが終了。", format.Count(r.Planned), format.Count(r.Pairs))
	case !swapped:
		return fmt.Sprintf("判定なし：つねに %s が先手、%s が後手のため、強さと手番を区別できません。", r.A, r.B)
	case r.Gate != nil:
		return map[string]string{
			report.Passed: "ゲートを通過しました：", report.Failed: "ゲートを通過しませんでした：", report.Inconclusive: "ゲートは判定不能です：",
		}[r.Gate.Verdict] + fmt.Sprintf("%s 対 %s、仮説 Elo %g と %g。", r.A, r.B, r.Gate.Design.Elo0, r.Gate.Design.Elo1)
	case test == nil || !report.Significant(*test.P):
		return fmt.Sprintf("%s と %s のどちらが強いか、これらの対局からは分かりません。", r.A, r.B)
	}
	stronger, weaker := r.A, r.B
	if r.Score != nil && *r.Score < 0.5 {
		stronger, weaker = weaker, stronger
	}
	if kind != "shown" {
		return fmt.Sprintf("%s が %s を上回っていますが、相手の反則・時間切れ・停止や測定環境だけで説明できる差です。", stronger, weaker)
	}
	return fmt.Sprintf("この条件では %s は %s より強い。", stronger, weaker)
}

// deciding is what the test found, and how large a difference may be.
func (j inJapanese) deciding(r *report.Report) []string {
	var said []string
	test, _ := r.Deciding()
	if test != nil {
		said = append(said, fmt.Sprintf("互角の二者でもこれ以上に偏る確率は p = %s（両側）。", format.PValue(*test.P)))
	}
	if i := r.Interval("score"); i != nil && i.Lo != nil {
		text := fmt.Sprintf("%s の得点率の%s信頼区間は %s〜%s、Elo では %s〜%s。", r.A, format.PercentShort(report.Level),
			format.Percent(*i.Lo), format.Percent(*i.Hi), format.Elo(r.Elo.Lo, -1), format.Elo(r.Elo.Hi, 1))
		if test == nil || !report.Significant(*test.P) {
			text = "互角の証明にはなりません。" + text
		}
		said = append(said, text)
	}
	return said
}

// caveats are what may make a number mean less than it seems to.
func (j inJapanese) caveats(r *report.Report) []string {
	var all []string
	for _, remark := range r.Looks.Remarks {
		all = append(all, j.Said(remark)+"。")
	}
	if len(r.Players) > 2 {
		all = append(all, fmt.Sprintf("判定は %s 対 %s のみです。組み合わせが多いと、その一つが偶然良く見えることは p 値より多くなります。", r.A, r.B))
	}
	if r.Dependence.Reused > 0 {
		all = append(all, j.Evidence(r)+"。")
	}
	faults := 0
	for _, f := range r.Faults {
		faults += f.Count
	}
	if faults > 0 {
		all = append(all, fmt.Sprintf("%s局中 %s局がエンジンの障害（異常終了、時間切れ、反則手など）で終わりました。強さよりも信頼性を示すものです。", format.Count(r.Games), format.Count(faults)))
	}
	if r.Unmarked != nil {
		all = append(all, fmt.Sprintf("%sペアに、計算機のために遅れた指し手があります。", format.Count(r.Unmarked.Marked)))
	}
	return all
}

// Slowed says that most pairs were slowed.
func (j inJapanese) Slowed(r *report.Report) string { return j.Said(r.Slowed()) }

// Said is what the report has to say.
func (inJapanese) Said(s phrases.Said) string { return s.In(japanese) }

// Draw is a diagram with Japanese around it.
func (inJapanese) Draw(d diagram.Diagram) string {
	d.Japanese = true
	return d.SVG()
}

// Evidence is how many observations the pairs are.
func (inJapanese) Evidence(r *report.Report) string {
	d := r.Dependence
	said := fmt.Sprintf("%s局面からの%sペア", format.Count(d.Openings), format.Count(d.Pairs))
	if d.Copies > 0 {
		said += fmt.Sprintf("（うち%sペアは以前のペアと一手も違わない）", format.Count(d.Copies))
	}
	if d.Effect != nil && *d.Effect > 1 {
		said += fmt.Sprintf("：独立な%.0fペアに相当（同じ局面のペアの類似度 %.2f）", float64(d.Pairs) / *d.Effect, *d.ICC)
	}
	return said
}

// IntervalLabel says what an interval is of.
func (inJapanese) IntervalLabel(i report.Interval) string {
	switch {
	case i.Method == "anytime":
		return "得点率（いつでも）"
	case i.Of == "win_rate_decisive":
		return "決着局の勝率"
	}
	return "得点率"
}

// unit is what is counted as one observation.
func unit(word string) string {
	if said, ok := map[string]string{"opening": "開始局面", "pair": "ペア", "game": "局", "decisive_game": "決着局"}[word]; ok {
		return said
	}
	return format.Words(word)
}

// Interval is an interval with its level and what it goes by.
func (j inJapanese) Interval(i report.Interval) string {
	switch {
	case i.Estimate == nil:
		return "不明：" + j.Said(i.Why)
	case i.Lo == nil:
		return format.Percent(*i.Estimate) + "、区間なし：" + j.Said(i.Why)
	}
	basis := fmt.Sprintf("%s単位、%s", unit(i.Unit), format.Count(i.N))
	if i.Method == "anytime" {
		basis = "いつ見ても成り立つ、" + basis
	}
	if i.Method == "clopper_pearson" {
		basis = "Clopper–Pearson、" + basis
	}
	return fmt.Sprintf("%s   [%s, %s]  %s %s", format.Percent(*i.Estimate), format.Percent(*i.Lo), format.Percent(*i.Hi), format.PercentShort(i.Level), basis)
}

// Elo is a rating difference with its interval.
func (j inJapanese) Elo(e report.Elo) string {
	switch {
	case e.Estimate == nil && e.Lo == nil && e.Hi == nil:
		return "不明：" + j.Said(e.Why)
	case e.Lo == nil && e.Hi == nil:
		return fmt.Sprintf("%+.1f、区間なし：%s", *e.Estimate, j.Said(e.Why))
	}
	return fmt.Sprintf("%s   [%s, %s]", format.Elo(e.Estimate, 1), format.Elo(e.Lo, -1), format.Elo(e.Hi, 1))
}

// StoppedElo is the rating difference that allows for where a test stopped.
func (j inJapanese) StoppedElo(e report.Elo) string {
	if e.Estimate == nil && e.Lo == nil && e.Hi == nil {
		return "不明：" + j.Said(e.Why)
	}
	return j.Elo(e) + "  95%、停止を考慮"
}

// TestLabel names a test.
func (inJapanese) TestLabel(t report.Test) string {
	if t.Method == "binomial_exact" {
		return "二項検定"
	}
	return "互角の検定"
}

// Test is what a test found.
func (j inJapanese) Test(t report.Test) string {
	if t.P == nil {
		return "なし：" + j.Said(t.Why)
	}
	if t.K != nil {
		return fmt.Sprintf("p = %s 両側、%d局中%d勝", format.PValue(*t.P), t.N, *t.K)
	}
	kind := "正確検定"
	if strings.HasSuffix(t.Method, "_normal") {
		kind = "近似検定"
	}
	by := "ペア"
	if strings.HasPrefix(t.Method, "opening") {
		by = "開始局面"
	}
	return fmt.Sprintf("p = %s 両側、%s（%s %s）", format.PValue(*t.P), kind, by, format.Count(t.N))
}

// Gate is the state of a sequential test in a line.
func (inJapanese) Gate(g *report.Gate) string {
	state := decided(g.Decision)
	if g.Withdrawn != "" {
		state += "（「" + decided(g.Withdrawn) + "」は取り消し）"
	}
	return fmt.Sprintf("%s：%s、計画順に%sペア（%s局面）を判定（その先に%sペア）、対数尤度比 %s、境界 [%.2f, %.2f]",
		g.Design, state, format.Count(g.Pairs), format.Count(g.Openings), format.Count(g.Beyond), format.Decimal(g.LLR, 2), g.Lower, g.Upper)
}

// decided is what a sequential test has come to.
func decided(d stats.Decision) string {
	return map[stats.Decision]string{stats.Pass: "通過", stats.Fail: "不通過", stats.Continue: "未決", stats.Inconclusive: "判定不能"}[d]
}

// IfIndependent heads what takes each game for independent.
func (inJapanese) IfIndependent(r *report.Report) string {
	if r.Pentanomial.Pairs() > 0 {
		return "各局を独立とみなした場合（実際には、ペアの二局は独立ではない）"
	}
	return "各局を独立とみなした場合"
}

// Advantage is how Black did, whoever that was.
func (j inJapanese) Advantage(a report.Advantage) string {
	k, n := a.Decisive()
	if n == 0 {
		return "不明：" + j.Said(a.Why)
	}
	said := format.Percent(float64(k) / float64(n))
	if a.Lo != nil {
		said += fmt.Sprintf("   [%s, %s]", format.Percent(*a.Lo), format.Percent(*a.Hi))
	}
	return said + fmt.Sprintf("  決着 %s局中 先手の%s勝、引き分け%s局", format.Count(n), format.Count(k), format.Count(a.Draws))
}

// endings are terminations as players write them.
func endings() map[match.Termination]string {
	return map[match.Termination]string{
		match.Checkmate: "詰み", match.Resignation: "投了", match.TimeForfeit: "時間切れ", match.Stall: "応答なし",
		match.IllegalMove: "反則手", match.Repetition: "千日手", match.PerpetualCheck: "連続王手の千日手", match.Declaration: "入玉宣言",
		match.FalseDeclaration: "誤った宣言", match.MaxPlies: "手数制限", match.Impasse: "持将棋", match.ScoreAdjudication: "評価値による判定",
		match.Crash: "異常終了", match.NotStarted: "起動せず", match.Untold: "終局理由不明",
	}
}

// Ending is a termination; one that this program does not know is shown as it is.
func (inJapanese) Ending(termination string) string {
	if said, ok := endings()[match.Termination(termination)]; ok {
		return said
	}
	return format.Words(termination)
}

// Result says who won, by what, after how many plies.
func (j inJapanese) Result(g match.Row) string {
	by := j.Ending(g.Termination.String())
	winner, ok := g.Outcome.Winner()
	if !ok {
		return fmt.Sprintf("%d手、%sで引き分け", g.Plies, by)
	}
	return fmt.Sprintf("%d手で%s の勝ち（%s）", g.Plies, [2]string{g.Black, g.White}[winner], by)
}

// Design is who plays whom.
func (inJapanese) Design(kind string) string {
	if said, ok := map[string]string{"match": "二者の対戦", "round_robin": "総当たり", "gauntlet": "一対多"}[kind]; ok {
		return said
	}
	return format.Words(kind)
}
