package io.millrace.backend.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.config.Secret;
import io.millrace.config.SettingsVariantRegistry;
import io.millrace.config.binding.LoadedSettings;
import io.millrace.config.binding.SettingsReader;
import io.millrace.config.problem.SettingsException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the names and defaults of the settings, connection strings, and the errors for values that cannot work. */
class AzureBackendSettingsTest {
    @Test
    void namesAndDefaultsAreThese() throws SettingsException {
        assertThat(read("account: acc\n"))
                .isEqualTo(new AzureBackendSettings(
                        Optional.of("acc"),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        false,
                        new ConnectionSettings(
                                4096,
                                BackendTlsSettings.DEFAULTS,
                                Optional.empty(),
                                Duration.ofSeconds(5),
                                Duration.ofSeconds(30),
                                Duration.ofSeconds(60))));
        assertThat(read("""
                account: acc
                account-key: a2V5
                endpoint: http://127.0.0.1:10000/acc
                max-connections: 7
                connect-timeout: 1s
                first-byte-timeout: 2s
                idle-timeout: 3s
                """))
                .isEqualTo(new AzureBackendSettings(
                        Optional.of("acc"),
                        Optional.of(Secret.of("a2V5")),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(URI.create("http://127.0.0.1:10000/acc")),
                        false,
                        new ConnectionSettings(
                                7,
                                BackendTlsSettings.DEFAULTS,
                                Optional.empty(),
                                Duration.ofSeconds(1),
                                Duration.ofSeconds(2),
                                Duration.ofSeconds(3))));
    }

    @Test
    void accountWithoutAnEndpointIsAtAzure() throws SettingsException {
        StorageAccount account = StorageAccount.of(read("account: acc\nsas: '?sv=1&sig=s'\n"));

        assertThat(account.endpoint()).isEqualTo(URI.create("https://acc.blob.core.windows.net"));
        assertThat(account.sas()).contains(Secret.of("sv=1&sig=s"));
        assertThat(account.toString()).doesNotContain("sig");
    }

    @Test
    void connectionStringOfAnAccountHasNameKeyAndEndpoint() throws SettingsException {
        StorageAccount account = ofConnectionString(
                "DefaultEndpointsProtocol=https;AccountName=acc;AccountKey=a2V5;EndpointSuffix=core.chinacloudapi.cn");

        assertThat(account)
                .isEqualTo(new StorageAccount(
                        "acc",
                        URI.create("https://acc.blob.core.chinacloudapi.cn"),
                        Optional.of(Secret.of("a2V5")),
                        Optional.empty()));
    }

    @Test
    void connectionStringWithASasNamesItsAccountInTheEndpoint() throws SettingsException {
        StorageAccount account = ofConnectionString(
                "BlobEndpoint=https://acc.blob.core.windows.net/;SharedAccessSignature=sv=1&sig=a%3D");

        assertThat(account.name()).isEqualTo("acc");
        assertThat(account.sas()).contains(Secret.of("sv=1&sig=a%3D"));
    }

    @Test
    void connectionStringOfTheEmulatorIsKnown() throws SettingsException {
        assertThat(ofConnectionString("UseDevelopmentStorage=true").endpoint())
                .isEqualTo(URI.create("http://127.0.0.1:10000/devstoreaccount1"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "anonymous: true | account",
                "account: https://acc.blob.core.windows.net | account",
                "'account: acc\naccount-key: not*base64' | account-key",
                "'account: acc\nsas: sv=1' | sas",
                "'account: acc\naccount-key: a2V5\nsas: sig=1' | sas",
                "'account: acc\nanonymous: true\nsas: sig=1' | anonymous",
                "'account: acc\nconnection-string: AccountName=acc' | connection-string",
                "connection-string: secret-nonsense | connection-string",
                "connection-string: AccountName=acc;AccountKey=not*base64 | connection-string",
                "'account: acc\nendpoint: https://acc.example.com?sig=1' | endpoint",
                "'account: acc\nmax-connections: 0' | max-connections",
                "'account: acc\nidle-timeout: 0s' | idle-timeout",
            })
    void valueThatCannotWorkIsReportedWithItsKey(String text, String key) {
        assertThatThrownBy(() -> read(text + "\n"))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(key)
                .hasMessageNotContaining("secret-nonsense");
    }

    private static StorageAccount ofConnectionString(String text) throws SettingsException {
        return StorageAccount.of(read("connection-string: '%s'\n".formatted(text)));
    }

    @ParameterizedTest
    @CsvSource({"http://azure.example.com, 1", "http://127.0.0.1:10000, 0", "https://azure.example.com, 0"})
    void warnsOfSecretsWithoutTls(String endpoint, int warnings) throws SettingsException {
        assertThat(load("account: acc\nsas: sig=1\nendpoint: " + endpoint).warnings())
                .hasSize(warnings);
    }

    @Test
    void backendIsMadeWithoutSpeakingToTheService() throws SettingsException {
        new AzureBackendProvider()
                .create("down", read("account: acc\nendpoint: http://127.0.0.1:1\n"))
                .close()
                .block();
    }

    private static AzureBackendSettings read(String yaml) throws SettingsException {
        return load(yaml).settings();
    }

    private static LoadedSettings<AzureBackendSettings> load(String yaml) throws SettingsException {
        return new SettingsReader(SettingsVariantRegistry.builder().build(), Map.of())
                .readText(yaml, Path.of("."), AzureBackendSettings.class);
    }
}
