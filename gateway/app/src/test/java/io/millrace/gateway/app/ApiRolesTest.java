package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ADMIN;
import static io.millrace.gateway.app.ApiServer.API;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the API has the roles of temporary credentials beside the identities. */
class ApiRolesTest {
    @Test
    void rolesAreListedWithWhoMayAssumeThem(@TempDir Path folder) throws Exception {
        try (ApiServer other = ApiServer.start(folder, "{ name: data, backend: local }", """
                sts:
                  issuers: [ { url: "https://login.example.org", audience: millrace } ]
                  roles:
                  - { name: trainer, issuer: "https://login.example.org", subjects: [ "pod:*" ], claims: { groups: ml }, assumed-by: [ user/bob ], allow: "read:data" }
                """)) {
            assertThat(other.get(ADMIN, API + "/identities")
                            .json()
                            .path("roles")
                            .toString())
                    .isEqualTo("[{\"name\":\"trainer\",\"issuer\":\"https://login.example.org\","
                            + "\"subjects\":[\"pod:*\"],\"claims\":{\"groups\":[\"ml\"]},\"assumedBy\":[\"user/bob\"],"
                            + "\"allow\":[\"read:data\"],\"policyStatements\":0,\"statements\":[]}]");
        }
    }
}
