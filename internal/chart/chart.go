// Package chart has what the figures of several packages share.
package chart

// Frame is a chart's plotting area.
type Frame struct{ Left, Top, Right, Bottom float64 }
