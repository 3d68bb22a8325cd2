package cluster

// PIDs returns the process IDs of the control plane.
func (c *ControlPlane) PIDs() []int {
	var pids []int
	for _, component := range c.components {
		pids = append(pids, component.process.Pid)
	}
	return pids
}
