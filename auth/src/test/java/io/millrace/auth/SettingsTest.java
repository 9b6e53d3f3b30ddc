package io.millrace.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.signature.RequestVerifier;
import io.millrace.config.Secret;
import io.millrace.config.SettingDescription;
import io.millrace.config.SettingsVariantRegistry;
import io.millrace.config.binding.SettingsReader;
import io.millrace.config.problem.SettingsException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests how the settings of identities are read. Names and defaults are a contract with existing files, errors name
 * their key, and no message shows a secret.
 */
class SettingsTest {
    private static final Secret SECRET = Secret.of("hush-hush");
    private static final List<AllowRule> ALLOW = List.of(AllowRule.parse("*"));

    record TestFile(
            @SettingDescription("") SignatureSettings auth,
            @SettingDescription("") List<IdentitySettings> identities) {}

    @Test
    void namesAndDefaultsStay() {
        assertThat(settings(SignatureSettings.class)).isEqualTo("sigv2Presigned=true clockSkew=15m");
        assertThat(settings(IdentitySettings.class)).isEqualTo("name= accessKey= secretKey= allow= policies= limits=");
        assertThat(SignatureSettings.defaults()).isEqualTo(new SignatureSettings(true, Duration.ofMinutes(15)));
    }

    @Test
    void fileIsBound() throws Exception {
        TestFile file = read("""
                auth: { sigv2-presigned: false, clock-skew: 5m }
                identities:
                  - { name: trainer, access-key: K, secret-key: hush-hush, allow: [ "read,list:*", "write:tmp/*" ] }
                  - { name: admin, access-key: A, secret-key: S, allow: "*" }
                """);

        assertThat(file.auth()).isEqualTo(new SignatureSettings(false, Duration.ofMinutes(5)));
        assertThat(file.identities())
                .containsExactly(
                        new IdentitySettings(
                                "trainer",
                                "K",
                                SECRET,
                                List.of(AllowRule.parse("read,list:*"), AllowRule.parse("write:tmp/*"))),
                        new IdentitySettings("admin", "A", Secret.of("S"), ALLOW));
    }

    @Test
    void reportsEveryProblemWithItsKeyWithoutSecrets() {
        String secret = "hush".repeat(300);

        assertThatThrownBy(() -> read("""
                        auth: { clock-skew: 2d }
                        identities:
                          - { name: "a b", access-key: a/b, secret-key: SECRET, allow: [] }
                          - { name: anonymous, access-key: A, secret-key: S, allow: [ "reed:b" ] }
                        """.replace("SECRET", secret)))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("7 problems")
                .hasMessageContaining("auth.clock-skew")
                .hasMessageContaining("identities[0].name")
                .hasMessageContaining("identities[0].access-key")
                .hasMessageContaining("identities[0].secret-key")
                .hasMessageContaining("identities[0].allow")
                .hasMessageContaining("identities[1].name")
                .hasMessageContaining("identities[1].allow")
                .hasMessageNotContaining("hush");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT0.999S", "PT-1S", "PT24H0.001S"})
    void skewIsBounded(Duration skew) {
        SignatureSettings settings = new SignatureSettings(true, skew);

        assertThatThrownBy(() -> new RequestVerifier(IdentityRegistry.of(List.of()), settings, InstantSource.system()))
                .hasMessageContaining("clock-skew");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "anonymous", "a b", "-a", "a\n", "ä"})
    void nameIsOneThatLogsCanShow(String name) {
        assertRefused(new IdentitySettings(name, "A", SECRET, ALLOW), "name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a/b", "a,b", "a b", "a\u0000", "ä"})
    void accessKeyIsOneThatCanBeSent(String accessKey) {
        assertRefused(new IdentitySettings("a", accessKey, SECRET, ALLOW), "access-key");
    }

    @Test
    void sizesAreBounded() {
        IdentityRegistry.of(
                List.of(new IdentitySettings("a".repeat(64), "A".repeat(128), Secret.of("s".repeat(1024)), ALLOW)));

        assertRefused(new IdentitySettings("a".repeat(65), "A", SECRET, ALLOW), "name");
        assertRefused(new IdentitySettings("a", "A".repeat(129), SECRET, ALLOW), "access-key");
        assertRefused(new IdentitySettings("a", "A", Secret.of("s".repeat(1025)), ALLOW), "secret-key");
        assertRefused(new IdentitySettings("a", "A", SECRET, List.of()), "allow");
        assertRefused(new IdentitySettings("a", "A", SECRET, Collections.nCopies(1001, ALLOW.get(0))), "allow");
    }

    @Test
    void identitiesShareNeitherNameNorKey() {
        IdentitySettings one = new IdentitySettings("one", "A", SECRET, ALLOW);

        assertThatThrownBy(() -> IdentityRegistry.of(List.of(one, new IdentitySettings("one", "B", SECRET, ALLOW))))
                .hasMessageContaining("named one");
        assertThatThrownBy(() -> IdentityRegistry.of(List.of(one, new IdentitySettings("two", "A", SECRET, ALLOW))))
                .hasMessageContaining("access key A");
    }

    @Test
    void toStringHidesTheSecret() {
        IdentitySettings settings = new IdentitySettings("one", "A", SECRET, ALLOW);
        Credential credential =
                IdentityRegistry.of(List.of(settings)).find("A", null).orElseThrow();

        assertThat(credential.secret()).isEqualTo("hush-hush");
        assertThat(settings.toString() + credential + credential.principal()).doesNotContain("hush");
    }

    private static TestFile read(String yaml) throws SettingsException {
        return new SettingsReader(SettingsVariantRegistry.builder().build(), Map.of())
                .readText(yaml, Path.of("."), TestFile.class)
                .settings();
    }

    private static void assertRefused(IdentitySettings settings, String key) {
        assertThatThrownBy(() -> IdentityRegistry.of(List.of(settings)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(key + ' ')
                .hasMessageNotContaining("sss");
    }

    private static String settings(Class<? extends Record> type) {
        return Arrays.stream(type.getRecordComponents())
                .map(SettingsTest::setting)
                .collect(Collectors.joining(" "));
    }

    private static String setting(RecordComponent component) {
        SettingDescription setting = component.getAnnotation(SettingDescription.class);
        assertThat(setting.value()).isNotBlank();
        return component.getName() + '=' + setting.defaultValue();
    }
}
