package impact

import "github.com/confighash/confighash/internal/catalog"

var tmpReasons = map[catalog.Change]string{
	catalog.CreateOnce: "its pod template is read once, when it is created", catalog.Destructive: "a changed pod template stops what is running",
	catalog.Forbidden: "its pod template cannot change once it exists", catalog.Operator: "its operator decides",
}
