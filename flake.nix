{
  description = "Restart workloads when their ConfigMaps and Secrets change";

  # confighash needs Go 1.26.
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
      version = self.shortRev or "dirty";
    in
    {
      packages = each (pkgs: {
        default = pkgs.buildGoModule {
          pname = "confighash";
          inherit version;
          src = self;
          # The hash of what `go mod vendor` writes; make generate puts it here.
          vendorHash = "sha256-uGLMcDIqx+7/F94awgBOCKenUcgy7rujbuz+hx39miw=";
          subPackages = [ "cmd/confighash" ];
          env.CGO_ENABLED = 0;
          ldflags = [ "-s" "-w" "-X main.version=${version}" ];
          # They run kustomize and Helm.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            installManPage man/confighash.1
            for shell in bash zsh fish; do
              $out/bin/confighash completion $shell >confighash.$shell
            done
            installShellCompletion confighash.{bash,zsh,fish}
          '';
          meta = {
            homepage = "https://github.com/confighash/confighash";
            license = pkgs.lib.licenses.asl20;
            mainProgram = "confighash";
          };
        };
      });
    };
}
