package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.app.command.MillraceApplication;
import io.millrace.gateway.testkit.TestCertificate;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests commands at ports whose certificate no authority of Java's has issued, and at those that ask for the client's.
 */
class TlsCommandTest {
    private static final String PLAIN = "";
    private static final String PRIVATE = ", tls: { certificate: ./certificate.pem, private-key: ./key.pem }";
    private static final String MUTUAL = PRIVATE.replace(" }", ", client-authorities: ./client/certificate.pem }");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private StringWriter printed = new StringWriter();

    @BeforeEach
    void writeCertificates() throws IOException {
        TestCertificate.create("server").write(folder);
        TestCertificate.create("client").write(Files.createDirectories(folder.resolve("client")));
        Files.createDirectories(folder.resolve("objects/data"));
    }

    /** As with {@code serve --self-signed}, and of a release that has not recorded its ports. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void doctorKnowsAGatewayWhoseSettingsSayNothingOfTls(boolean isRecorded) throws Exception {
        try (Gateway gateway = start(PRIVATE)) {
            if (!isRecorded) {
                Files.delete(folder.resolve("data/ports"));
            }
            assertThat(doctor(gateway, PLAIN)).as(printed.toString()).isZero();
            assertThat(printed.toString())
                    .contains("s3.port: 127.0.0.1:" + gateway.s3Port() + " is the running Millrace's")
                    .contains("admin.port: 127.0.0.1:" + gateway.adminPort() + " is the running Millrace's");
        }
    }

    @Test
    void doctorPresentsACertificate() throws Exception {
        try (Gateway gateway = start(MUTUAL)) {
            assertThat(doctor(gateway, MUTUAL)).as(printed.toString()).isZero();

            // Then it has to ask.
            Files.delete(folder.resolve("data/ports"));
            assertThat(doctor(gateway, MUTUAL)).isEqualTo(1);
            assertThat(printed.toString()).contains("problem  admin.port", "--client-cert");

            assertThat(doctor(gateway, MUTUAL, presented()))
                    .as(printed.toString())
                    .isZero();
            assertThat(doctor(gateway, MUTUAL, "--client-cert", path("none.pem"), "--client-key", path("key.pem")))
                    .isEqualTo(2);
            assertThat(printed.toString()).contains("--client-cert: " + path("none.pem") + " does not exist");
        }
    }

    @Test
    void healthNeedsNoCredentialsAndTrustsAnyCertificate() throws Exception {
        String endpoint;
        try (Gateway gateway = start(PRIVATE)) {
            endpoint = "127.0.0.1:" + gateway.adminPort();
            assertThat(execute("health", "--endpoint-url", "https://" + endpoint))
                    .isZero();
            assertThat(execute("health", "--endpoint-url", "http://" + endpoint, "--probe", "ready"))
                    .isZero();
            assertThat(printed.toString()).contains("/ready has the status 200");
        }
        assertThat(execute("health", "--endpoint-url", "https://" + endpoint)).isEqualTo(4);
        assertThat(printed.toString()).contains("millrace: /live has no response");
    }

    @Test
    void unknownAuthorityIsNamedWithTheRemedy() throws Exception {
        try (Gateway gateway = start(PRIVATE)) {
            for (String[] command : new String[][] {{"status"}, {"config", "diff"}, {"jobs", "list"}}) {
                assertThat(run(gateway, Map.of(), command[0], Arrays.copyOfRange(command, 1, command.length)))
                        .isEqualTo(4);
                assertThat(printed.toString())
                        .contains(
                                "no authority that is trusted here has issued its certificate",
                                "--ca-bundle or AWS_CA_BUNDLE")
                        .doesNotContain("PKIX", "Exception", "sun.");
            }
        }
    }

    @Test
    void missingFileOfAuthoritiesIsNamedByWhatNamesIt() throws Exception {
        try (Gateway gateway = start(PRIVATE)) {
            String missing = path("missing.pem");

            assertThat(run(gateway, Map.of("AWS_CA_BUNDLE", missing), "status")).isEqualTo(2);
            assertThat(printed.toString())
                    .contains("AWS_CA_BUNDLE: " + missing + " does not exist")
                    .doesNotContain("--ca-bundle");
        }
    }

    @Test
    void commandPresentsItsCertificate() throws Exception {
        try (Gateway gateway = start(MUTUAL)) {
            Map<String, String> trusting = Map.of("AWS_CA_BUNDLE", path("certificate.pem"));
            assertThat(run(gateway, trusting, "status")).isEqualTo(4);
            assertThat(printed.toString()).contains("--client-cert");

            assertThat(run(gateway, trusting, "status", presented()))
                    .as(printed.toString())
                    .isZero();
            assertThat(run(gateway, presenting(), "status"))
                    .as(printed.toString())
                    .isZero();
            assertThat(run(gateway, presenting(), "status", "--client-key", path("key.pem")))
                    .isEqualTo(2);
            assertThat(printed.toString()).contains("--client-key: " + path("key.pem") + " is not the key of");
        }
    }

    @Test
    void benchTakesAuthorityAndCertificateFromVariables() throws Exception {
        try (Gateway gateway = start(MUTUAL)) {
            String[] options = {
                "run",
                "--endpoint",
                "https://127.0.0.1:" + gateway.s3Port(),
                "--bucket",
                "data",
                "--objects",
                "1",
                "--size",
                "1KiB",
                "--count",
                "1",
                "--warm-up",
                "0s"
            };
            assertThat(run(gateway, presenting(), "bench", options))
                    .as(printed.toString())
                    .isZero();
            assertThat(run(gateway, Map.of(), "bench", options)).isEqualTo(1);
            assertThat(printed.toString()).contains("name its authority with --ca-bundle or AWS_CA_BUNDLE");
        }
    }

    private Gateway start(String tls) throws Exception {
        return Gateway.start(SettingsLoader.ofFile(settings("serve", 0, 0, tls), MachineChecks.inThisProcess()));
    }

    private int doctor(Gateway gateway, String tls, String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "doctor",
                "--config",
                settings("doctor", gateway.s3Port(), gateway.adminPort(), tls).toString()));
        arguments.addAll(List.of(options));
        return execute(arguments.toArray(String[]::new));
    }

    private Path settings(String name, int s3Port, int adminPort, String tls) throws IOException {
        Path file = Files.writeString(folder.resolve(name + ".yaml"), """
                s3: { port: %2$d%4$s }
                admin: { port: %3$d%4$s }
                data: ./data
                backends: { local: { type: file, path: ./objects } }
                buckets: [ { name: data, backend: local } ]
                identities: [ { name: admin, access-key: ADMIN01, secret-key: ADMIN01-secret, allow: "*" } ]
                """.formatted(name, s3Port, adminPort, tls));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file;
    }

    private int execute(String... arguments) {
        printed = new StringWriter();
        return MillraceApplication.commands()
                .setOut(new PrintWriter(printed))
                .setErr(new PrintWriter(printed, true))
                .execute(arguments);
    }

    /** Runs a command as a process, whose variables can be set. */
    private int run(Gateway gateway, Map<String, String> variables, String command, String... options)
            throws IOException, InterruptedException {
        Map<String, String> environment = new HashMap<>(variables);
        environment.put("MILLRACE_ENDPOINT_URL", "https://127.0.0.1:" + gateway.adminPort());
        environment.put("AWS_ACCESS_KEY_ID", "ADMIN01");
        environment.put("AWS_SECRET_ACCESS_KEY", "ADMIN01-secret");
        List<String> arguments = new ArrayList<>(List.of(command));
        arguments.addAll(List.of(options));
        try (MillraceProcess process = MillraceProcess.run(folder, environment, arguments.toArray(String[]::new))) {
            int code = process.exitCode();
            printed = new StringWriter();
            printed.write(process.output());
            return code;
        }
    }

    private String[] presented() {
        return new String[] {"--client-cert", path("client/certificate.pem"), "--client-key", path("client/key.pem")};
    }

    private Map<String, String> presenting() {
        return Map.of(
                "AWS_CA_BUNDLE", path("certificate.pem"),
                "MILLRACE_CLIENT_CERT", path("client/certificate.pem"),
                "MILLRACE_CLIENT_KEY", path("client/key.pem"));
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }
}
