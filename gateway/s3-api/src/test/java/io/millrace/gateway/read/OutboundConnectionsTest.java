package io.millrace.gateway.read;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.millrace.backend.azure.AzureBackendProvider;
import io.millrace.backend.gcs.GcsBackendProvider;
import io.millrace.backend.hub.HubBackendProvider;
import io.millrace.backend.millrace.MillraceBackendProvider;
import io.millrace.backend.s3.S3BackendProvider;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendProvider;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.ReservedPort;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.backend.web.WebBackendProvider;
import io.millrace.config.SettingsVariantRegistry;
import io.millrace.config.binding.SettingsReader;
import io.millrace.config.problem.SettingsException;
import io.millrace.gateway.testkit.ConnectProxy;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import io.millrace.gateway.tls.ServerTlsContext;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.ssl.SslContext;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/**
 * Backends reach real TLS servers with certificates of a private authority, with client certificates, and through a
 * proxy.
 */
@ExtendWith(BufferLeakExtension.class)
@Timeout(120)
class OutboundConnectionsTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String BODY = "the object";
    private static final String TRUST = "tls: { authorities: ./ca.pem }";

    /** A name that only the proxy resolves. */
    private static final String HIDDEN = "store.hidden.invalid";

    private static final List<BackendProvider<?>> PROVIDERS = List.of(
            new S3BackendProvider(),
            new GcsBackendProvider(),
            new AzureBackendProvider(),
            new WebBackendProvider(),
            new HubBackendProvider(),
            new MillraceBackendProvider());

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final Queue<String> received = new ConcurrentLinkedQueue<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private X509Bundle authority;

    @SuppressWarnings("NullAway.Init")
    private HttpsServer server;

    @SuppressWarnings("NullAway.Init")
    private Backend backend;

    OutboundConnectionsTest() throws Exception {
        authority = new CertificateBuilder()
                .subject("CN=Company CA")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }

    @BeforeEach
    void writeFiles() throws Exception {
        Files.writeString(folder.resolve("ca.pem"), authority.getCertificatePEM());
        X509Bundle client = certificate("worker").buildIssuedBy(authority);
        Files.writeString(folder.resolve("client.pem"), client.getCertificatePathPEM());
        Files.writeString(folder.resolve("client-key.pem"), client.getPrivateKeyPEM());
        Path password = Files.writeString(folder.resolve("password"), "proxy-secret\n");
        Files.setPosixFilePermissions(password, PosixFilePermissions.fromString("rw-------"));
    }

    @AfterEach
    void stop() {
        if (backend != null) {
            backend.close().block(SOON);
        }
        if (server != null) {
            server.stop(0);
        }
        threads.shutdownNow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"s3", "gcs", "azure", "http", "hub", "millrace"})
    void presentsClientCertificateToServerOfPrivateAuthority(String type) throws Exception {
        serve(certificate("server").buildIssuedBy(authority), true);
        open(
                type,
                "localhost",
                "tls: { authorities: ./ca.pem, certificate: ./client.pem, private-key: ./client-key.pem }");

        readAs(type).onErrorComplete().blockLast(SOON);

        assertThat(received).first().asString().startsWith("CN=worker GET /").contains("key");
    }

    @ParameterizedTest
    @ValueSource(strings = {"s3", "gcs", "azure", "http", "hub", "millrace"})
    void reachesServerThroughProxy(String type) throws Exception {
        serve(certificate("server").buildIssuedBy(authority), false);
        try (ConnectProxy proxy = new ConnectProxy("me:proxy-secret")) {
            open(
                    type,
                    HIDDEN,
                    TRUST + ", proxy: { url: \"%s\", username: me, password-file: ./password }".formatted(proxy.url()));

            readAs(type).onErrorComplete().blockLast(SOON);

            assertThat(received).first().asString().startsWith("- GET /").contains("key");
            assertThat(proxy.tunnels()).first().isEqualTo(HIDDEN + ":" + port());
        }
    }

    @Test
    void servesObjectsThroughProxy() throws Exception {
        serve(certificate("server").buildIssuedBy(authority), false);
        try (ConnectProxy proxy = new ConnectProxy("")) {
            open("http", HIDDEN, TRUST + ", proxy: { url: \"%s\" }".formatted(proxy.url()));
            try (TestGateway gateway = TestGateway.over(backend)) {
                SigningClient client = SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);

                AtomicInteger reads = new AtomicInteger();
                // A tunnel is given back after its response, so perhaps after the next request of the client.
                Polling.until("a tunnel is used again", () -> {
                    assertThat(client.get("/bucket/key").text()).isEqualTo(BODY);
                    return proxy.tunnels().size() < reads.incrementAndGet();
                });
            }
        }
    }

    @Test
    void tokensAreFetchedThroughProxyToo() throws Exception {
        serve(certificate("server").buildIssuedBy(authority), false);
        Files.writeString(folder.resolve("login.json"), """
                { "type": "authorized_user", "client_id": "i", "client_secret": "s", "refresh_token": "r",
                  "token_uri": "https://%s:%d/token" }
                """.formatted(HIDDEN, port()));
        try (ConnectProxy proxy = new ConnectProxy("")) {
            open(
                    "gcs",
                    HIDDEN,
                    TRUST + ", credentials-file: ./login.json, proxy: { url: \"%s\" }".formatted(proxy.url()));

            read().onErrorComplete().blockLast(SOON);

            assertThat(received).contains("- POST /token");
            assertThat(proxy.tunnels()).hasSize(2).containsOnly(HIDDEN + ":" + port());
        }
    }

    @Test
    void exceptedHostIsReachedDirectly() throws Exception {
        serve(certificate("server").buildIssuedBy(authority), false);
        try (ConnectProxy proxy = new ConnectProxy("")) {
            open("http", "localhost", TRUST + ", proxy: { url: \"%s\", except: [ localhost ] }".formatted(proxy.url()));

            assertThat(text()).isEqualTo(BODY);
            assertThat(proxy.tunnels()).isEmpty();
        }
    }

    @Test
    void refusedProxyUserIsNamed() throws Exception {
        serve(certificate("server").buildIssuedBy(authority), false);
        try (ConnectProxy proxy = new ConnectProxy("me:another")) {
            open(
                    "http",
                    HIDDEN,
                    TRUST + ", proxy: { url: \"%s\", username: me, password-file: ./password }".formatted(proxy.url()));

            assertThatThrownBy(this::text)
                    .isInstanceOf(BackendException.class)
                    .hasMessageContaining("407")
                    .hasMessageContaining("correct proxy.username and proxy.password")
                    .hasMessageNotContaining("proxy-secret");
        }
    }

    @Test
    void absentProxyIsNamed() throws Exception {
        try (ReservedPort nobody = new ReservedPort()) {
            serve(certificate("server").buildIssuedBy(authority), false);
            open("http", HIDDEN, TRUST + ", proxy: { url: \"%s\" }".formatted(nobody.uri()));

            assertThatThrownBy(this::text)
                    .isInstanceOf(BackendException.class)
                    .hasMessageContaining("no tunnel through the proxy: %s cannot be reached".formatted(nobody.uri()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "tls: { authorities: ./client.pem, public-authorities: false }"})
    void certificateOfUnknownAuthorityIsRefused(String tls) throws Exception {
        serve(certificate("server").buildIssuedBy(authority), false);
        open("s3", "localhost", tls);

        assertRefused("no trusted authority has issued", "set tls.authorities");
    }

    @Test
    void expiredCertificateIsRefused() throws Exception {
        serve(
                certificate("server")
                        .notBefore(Instant.now().minus(Duration.ofDays(9)))
                        .notAfter(Instant.now().minus(Duration.ofDays(1)))
                        .buildIssuedBy(authority),
                false);
        open("s3", "localhost", TRUST);

        assertRefused("is not valid at this time", "renew it");
    }

    @Test
    void certificateOfOtherHostIsRefused() throws Exception {
        serve(
                new CertificateBuilder()
                        .subject("CN=other")
                        .addSanDnsName("other.example.org")
                        .buildIssuedBy(authority),
                false);
        open("s3", "localhost", TRUST);

        assertRefused("is not for this host", "localhost");
    }

    @Test
    void serverThatWantsClientCertificateIsNamed() throws Exception {
        X509Bundle certificate = certificate("server").buildIssuedBy(authority);
        SslContext tls = ServerTlsContext.of(
                certificate.getKeyPair().getPrivate(),
                List.of(certificate.getCertificatePath()),
                Optional.of(List.of(authority.getCertificatePath())));
        try (TestGateway far = TestGateway.builder()
                .bucket("*", new InMemoryBackend())
                .tls(() -> tls)
                .start()) {
            open("s3", "localhost", far.port(), TRUST);

            assertRefused("tls.certificate of the backend");
        }
    }

    private void assertRefused(String... messages) throws Exception {
        assertThatThrownBy(this::text)
                .isInstanceOfSatisfying(
                        BackendException.class,
                        e -> assertThat(e.kind()).isEqualTo(BackendException.FailureKind.UNAVAILABLE))
                .message()
                .contains(messages);
        assertThat(received).isEmpty();
        try (TestGateway gateway = TestGateway.over(backend)) {
            SigningClient client = SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
            assertThat(client.get("/bucket/key").status()).isEqualTo(503);
        }
    }

    private Flux<String> read() {
        return read("bucket", "key");
    }

    /** Reads the object as a backend of this type has it: the Hub is asked for its revision first. */
    private Flux<String> readAs(String type) {
        return type.equals("hub") ? read("models", "org/key/main/file") : read();
    }

    private Flux<String> read(String bucket, String key) {
        return backend.open(ReadRequest.of(new ObjectRef(new BucketName(bucket), new ObjectKey(key))))
                .flatMapMany(ObjectContent::body)
                .map(buffer -> {
                    String text = new String(ByteBufUtil.getBytes(buffer), UTF_8);
                    buffer.release();
                    return text;
                });
    }

    private String text() {
        return String.join("", Objects.requireNonNull(read().collectList().block(SOON)));
    }

    private void open(String type, String host, String more) throws Exception {
        open(type, host, port(), more);
    }

    /** Reads the settings of a backend from a file, as a start does, and creates it. */
    private void open(String type, String host, int port, String more) throws Exception {
        String url = "\"https://%s:%d\"".formatted(host, port);
        String keys = switch (type) {
            case "gcs" -> "endpoint: " + url + (more.contains("credentials-file") ? "" : ", anonymous: true");
            case "azure" -> "endpoint: " + url.replaceAll("\"$", "/acc\"") + ", account: acc, anonymous: true";
            case "http", "hub" -> "url: " + url.replaceAll("\"$", "/\"");
            default -> "endpoint: " + url + ", access-key: A, secret-key: S";
        };
        Path file = Files.writeString(folder.resolve("far.yaml"), "{ %s, %s }".formatted(keys, more));
        BackendProvider<?> provider = PROVIDERS.stream()
                .filter(one -> one.type().equals(type))
                .findFirst()
                .orElseThrow();
        backend = create(provider, file);
    }

    private static <S extends Record> Backend create(BackendProvider<S> provider, Path file) throws SettingsException {
        SettingsReader reader =
                new SettingsReader(SettingsVariantRegistry.builder().build(), Map.of());
        return provider.create("far", reader.read(file, provider.settingsType()).settings());
    }

    private static CertificateBuilder certificate(String name) {
        return new CertificateBuilder()
                .subject("CN=" + name)
                .addSanDnsName("localhost")
                .addSanDnsName(HIDDEN);
    }

    private int port() {
        return server.getAddress().getPort();
    }

    private void serve(X509Bundle certificate, boolean clientCertificate) throws Exception {
        KeyManagerFactory own = certificate.toKeyManagerFactory();
        TrustManagerFactory trust = authority.toTrustManagerFactory();
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(own.getKeyManagers(), trust.getTrustManagers(), null);
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.setHttpsConfigurator(new HttpsConfigurator(tls) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters ssl = tls.getDefaultSSLParameters();
                ssl.setNeedClientAuth(clientCertificate);
                parameters.setSSLParameters(ssl);
            }
        });
        server.setExecutor(threads);
        server.createContext("/", this::respond);
        server.start();
    }

    private void respond(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            received.add("%s %s %s"
                    .formatted(
                            peer((HttpsExchange) exchange),
                            exchange.getRequestMethod(),
                            exchange.getRequestURI().getPath()));
            boolean token = exchange.getRequestURI().getPath().equals("/token");
            byte[] body = (token ? "{\"access_token\":\"t\",\"expires_in\":3600}" : BODY).getBytes(UTF_8);
            exchange.getResponseHeaders().put("ETag", List.of("\"0123456789abcdef0123456789abcdef\""));
            exchange.getResponseHeaders().put("Last-Modified", List.of("Tue, 03 Feb 2026 10:00:00 GMT"));
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private static String peer(HttpsExchange exchange) {
        try {
            return exchange.getSSLSession().getPeerPrincipal().getName();
        } catch (SSLPeerUnverifiedException anonymous) {
            return "-";
        }
    }
}
