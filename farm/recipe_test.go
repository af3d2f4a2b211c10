package farm_test

import (
	"strings"
	"testing"
	"time"

	"gogi/farm"
	"gogi/internal/testutil"
)

const aRecipe = "build = ['make']\noutput = 'src/engine'\nbench = './engine bench'\nnodes = 'Nodes: ([0-9]+)'\n"

// TestRecipes: a recipe has defaults, and the error names each wrong key.
func TestRecipes(t *testing.T) {
	t.Parallel()
	r := testutil.Must(farm.ParseRecipe(aRecipe))(t)
	testutil.Check(t, r.Compiler == "c++ --version" && r.Timeout == 20*time.Minute, "%+v", r)
	if r = testutil.Must(farm.ParseRecipe(aRecipe +
		"compiler = 'cc'\ntimeout = '1h'\nisa = ['x86-64-v3']"))(t); r.Compiler != "cc" || r.Timeout != time.Hour ||
		r.ISA[0] != "x86-64-v3" {
		t.Errorf("%+v", r)
	}
	for text, want := range map[string]string{
		"submodules = true": `unknown key "submodules"`, "timeout = '3h'": "timeout: 3h0m0s: expected 1s to 2h",
		"timeout = '1'": "recipe: ",
		"isa = 1":       "recipe: ", strings.Repeat("#", 9000): "bytes: expected at most 8192",
	} {
		if text != "" {
			text = aRecipe + text
		}
		testutil.Fails(t, testutil.Err(farm.ParseRecipe(text)), want, "%.40s", text)
	}
	for from, to := range map[string]string{
		"['make']": "['']", "'src/engine'": "'/src/engine'", "src/": "../", "src/engine": "a/../..", "'./engine bench'": "''",
		"([0-9]+)": "[0-9]+", "([0": "(([0",
	} {
		testutil.Fails(t, testutil.Err(farm.ParseRecipe(strings.Replace(aRecipe, from, to, 1))), "",
			"%s instead of %s is accepted", to, from)
	}
}

// TestNodesIn: the last match counts.
func TestNodesIn(t *testing.T) {
	t.Parallel()
	r := testutil.Must(farm.ParseRecipe(aRecipe))(t)
	testutil.Equal(t, testutil.Must(r.NodesIn("Nodes: 1\nNodes: 23\nNodes: x"))(t), 23, "nodes")
	testutil.Fails(t, testutil.Err(r.NodesIn("nodes: 1")), "prints nothing that matches")
	testutil.Fails(t, testutil.Err(r.NodesIn("Nodes: 99999999999999999999")), "value out of range")
}

// TestBestISA: the first instruction set of the machine that the recipe lists counts.
func TestBestISA(t *testing.T) {
	t.Parallel()
	r := testutil.Must(farm.ParseRecipe(aRecipe))(t)
	testutil.Equal(t, testutil.Must(r.BestISA([]string{"x86-64-v3", "x86-64-v2"}))(t), "x86-64-v3", "the best")
	testutil.Equal(t, testutil.Must(r.BestISA(nil))(t), "", "of a machine without a known instruction set")
	r = testutil.Must(farm.ParseRecipe(aRecipe + "isa = ['x86-64-v2', 'armv8.2']"))(t)
	testutil.Equal(t, testutil.Must(r.BestISA([]string{"x86-64-v3", "x86-64-v2"}))(t), "x86-64-v2",
		"the best of the recipe")
	testutil.Fails(t, testutil.Err(r.BestISA([]string{"x86-64-v1"})),
		"builds for x86-64-v2, armv8.2, and this machine has x86-64-v1")
}
