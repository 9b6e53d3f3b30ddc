package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.http.WebUrl;
import io.millrace.backend.hub.HubBackendSettings;
import io.millrace.config.problem.SettingsException;
import io.millrace.gateway.s3.hub.HubSettings;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that the Hub port is closed unless the file opens it, with a backend that is a Hub. */
class HubSettingsTest {
    private static final String FILE = """
            cache: { disks: [ { path: target/cache, size: 1GiB } ] }
            backends: { hf: { type: hub }, far: { type: file, path: target/far } }
            buckets: [ { name: models, backend: hf } ]
            identities: [ { name: admin, access-key: A, secret-key: S, allow: "*" } ]
            """;

    @Test
    void thereIsNoPortUnlessTheFileHasOne() throws SettingsException {
        assertThat(settings("").hub()).isEmpty();
    }

    @Test
    void portIsOfThisMachineByDefault() throws SettingsException {
        HubSettings hub = settings("hub: { backend: hf }").hub().orElseThrow();

        assertThat(hub.address()).isEqualTo("127.0.0.1");
        assertThat(hub.port()).isEqualTo(9082);
    }

    @Test
    void backendIsTheHubByDefault() throws SettingsException {
        HubBackendSettings backend = (HubBackendSettings)
                Objects.requireNonNull(settings("").backends().get("hf")).settings();

        assertThat(backend.url()).isEqualTo(WebUrl.parse("https://huggingface.co"));
        assertThat(backend.token()).isEmpty();
        assertThat(backend.allowedRedirects())
                .anyMatch(pattern -> pattern.contains(WebUrl.parse("https://cas-bridge.xethub.hf.co/x?y=z")))
                .noneMatch(pattern -> pattern.contains(WebUrl.parse("https://example.org/x")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "hub: { backend: none }|is not a backend of this file",
                "hub: { backend: far }|is a backend of type file",
                "hub: { backend: hf, port: 9081 }|is the port of admin too",
                "hub: { backend: hf, port: 70000 }|hub.port: 70000",
                "hub: { backend: hf, branch-ttl: 400d }|hub.branch-ttl: 400d"
            })
    void refusesContradictingSettings(String rest, String problem) {
        assertThatThrownBy(() -> settings(rest))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(problem);
    }

    private static MillraceSettings settings(String rest) throws SettingsException {
        return SettingsLoader.ofText(FILE + rest, Map.of()).settings();
    }
}
