// Package svg draws the charts that several packages share. A [Plot] is a line chart as HTML. A [Frame] is the
// plotting area of any chart.
package svg

// A Frame is the plotting area of a chart.
type Frame struct{ Left, Top, Right, Bottom float64 }
