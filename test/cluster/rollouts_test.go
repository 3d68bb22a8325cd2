package cluster_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/test/cluster"
)

func TestRolled_comparesWhatIsInBoth(t *testing.T) {
	before := cluster.Snapshot{
		"Deployment shop/same":   {Template: "same-1", Number: 1},
		"Deployment shop/undone": {Template: "undone-1", Number: 1},
		"Deployment shop/new":    {Template: "new-1", Number: 1},
		"CronJob shop/changed":   {Template: "1"},
		"Job shop/gone":          {Template: "1"},
	}
	after := cluster.Snapshot{
		"Deployment shop/same":   {Template: "same-1", Number: 1},
		"Deployment shop/undone": {Template: "undone-1", Number: 3},
		"Deployment shop/new":    {Template: "new-2", Number: 2},
		"CronJob shop/changed":   {Template: "2"},
		"Job shop/made":          {Template: "1"},
	}
	want := []string{"CronJob shop/changed", "Deployment shop/new", "Deployment shop/undone"}
	if diff := cmp.Diff(want, cluster.Rolled(before, after)); diff != "" {
		t.Errorf("rolled (-want +got):\n%s", diff)
	}
	if rolled := cluster.Rolled(before, before); rolled != nil {
		t.Errorf("between a snapshot and itself rolled %v", rolled)
	}
}
