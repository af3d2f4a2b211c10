// Package svg draws the parts that the charts of several packages share. A [Frame] is the
// plotting area of a chart.
package svg

// Frame is a chart's plotting area.
type Frame struct{ Left, Top, Right, Bottom float64 }
