package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/confighash/confighash/pkg/internal/hostile"
)

func main() {
	size, _ := strconv.Atoi(os.Args[1])
	dir := os.Args[2]
	for i, s := range hostile.Shapes() {
		for _, m := range []int{1, 4} {
			text, spec := s.At(size * m)
			base := fmt.Sprintf("%s/%03d.%d", dir, i, m)
			for _, v := range []string{"one", "two"} {
				os.WriteFile(base+"."+v+".yaml", []byte(strings.ReplaceAll(text, hostile.Value, v)), 0o644)
			}
			for _, mode := range []string{"Rename", "Annotate"} {
				more := ""
				if spec != "" {
					more = ", " + spec
				}
				os.WriteFile(base+"."+mode+".cfg", []byte("{apiVersion: confighash.dev/v1alpha1, kind: ConfigHash, metadata: {name: r}, spec: {mode: "+mode+more+"}}\n"), 0o644)
			}
			os.WriteFile(fmt.Sprintf("%s/%03d.name", dir, i), []byte(s.Name), 0o644)
		}
	}
}
