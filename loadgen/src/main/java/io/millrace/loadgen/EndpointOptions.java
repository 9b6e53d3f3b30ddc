package io.millrace.loadgen;

import io.millrace.config.Secret;
import io.millrace.kit.ClientCertificate;
import io.millrace.kit.PemFile;
import io.millrace.kit.UnusablePemFileException;
import io.millrace.loadgen.client.BucketAddress;
import io.millrace.loadgen.client.OutgoingRequestSigner;
import io.millrace.loadgen.client.OutgoingRequestSigner.Credentials;
import io.millrace.loadgen.client.S3ConnectionFactory;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkClientException;

/** Options that name the endpoints, the bucket and the credentials. */
final class EndpointOptions {
    @Option(
            names = "--endpoint",
            paramLabel = "URL",
            required = true,
            split = ",",
            description = "URL of the endpoint, as http://127.0.0.1:9080. Connections use several endpoints in turns.")
    private List<URI> endpoints = List.of();

    @Option(
            names = "--connect-to",
            paramLabel = "ADDRESS",
            split = ",",
            description = "Addresses to connect to in turns, in place of the endpoint's host: nodes with one name, or a"
                    + " name that no DNS knows.")
    private List<String> addresses = List.of();

    @Option(names = "--bucket", required = true, description = "The bucket of the objects.")
    private String bucket = "";

    @Option(names = "--virtual-host", description = "Put the bucket into the host name instead of the path.")
    private boolean virtualHost;

    @Option(
            names = "--region",
            defaultValue = "${env:AWS_REGION:-us-east-1}",
            description = "Region to sign for; ${DEFAULT-VALUE}.")
    private String region = "";

    @Option(names = "--profile", description = "Profile of the AWS configuration whose credentials to use.")
    private @Nullable String profile;

    @Option(names = "--anonymous", description = "Send requests without a signature.")
    private boolean anonymous;

    @Option(
            names = {"--ca-bundle", "--ca-file"},
            paramLabel = "FILE",
            description = "Certificates (PEM) to trust instead of Java's. Default: AWS_CA_BUNDLE.")
    private @Nullable String authorities;

    @Option(
            names = "--client-cert",
            paramLabel = "FILE",
            defaultValue = "${env:MILLRACE_CLIENT_CERT}",
            description = "Certificate (PEM) for an endpoint that asks for one. Default: MILLRACE_CLIENT_CERT.")
    private @Nullable String certificate;

    @Option(
            names = "--client-key",
            paramLabel = "FILE",
            defaultValue = "${env:MILLRACE_CLIENT_KEY}",
            description = "Private key (PEM, PKCS#8) of --client-cert. Default: MILLRACE_CLIENT_KEY.")
    private @Nullable String key;

    @Option(names = "--insecure", description = "Trust any certificate.")
    private boolean insecure;

    @Option(
            names = "--timeout",
            defaultValue = "60s",
            description = "How long a request may make no progress; ${DEFAULT-VALUE}.")
    private Duration timeout = Duration.ZERO;

    @Option(names = "--threads", paramLabel = "N", description = "Number of event loops; by default one per processor.")
    private @Nullable Integer threads;

    /**
     * Returns a factory of connections.
     *
     * @throws IOException if the certificates cannot be read or there are no credentials
     * @throws IllegalArgumentException if an endpoint is not a URL of a host alone
     */
    S3ConnectionFactory connections() throws IOException {
        List<BucketAddress> buckets = endpoints.stream()
                .map(uri -> BucketAddress.of(uri, bucket, virtualHost))
                .flatMap(this::atAddresses)
                .toList();
        int loops = threads == null ? Runtime.getRuntime().availableProcessors() : threads;
        if (loops < 1) {
            throw new IllegalArgumentException("--threads is at least 1");
        }
        return new S3ConnectionFactory(
                buckets,
                authenticator(),
                buckets.stream().anyMatch(BucketAddress::isTls) ? tls() : null,
                timeout,
                loops);
    }

    private Stream<BucketAddress> atAddresses(BucketAddress endpoint) {
        return addresses.isEmpty() ? Stream.of(endpoint) : addresses.stream().map(endpoint::connectingTo);
    }

    private SslContext tls() throws IOException {
        SslContextBuilder builder = SslContextBuilder.forClient();
        Optional<PemFile> bundle = bundle();
        if (insecure) {
            builder.trustManager(InsecureTrustManagerFactory.INSTANCE).endpointIdentificationAlgorithm(null);
        } else if (bundle.isPresent()) {
            builder.trustManager(certificates(bundle.get()));
        }
        clientCertificate().ifPresent(own -> builder.keyManager(own.key(), own.chain()));
        return builder.build();
    }

    /** Returns the file of authorities, named as who runs this has named it; empty if there is none. */
    private Optional<PemFile> bundle() {
        String name = authorities == null ? "AWS_CA_BUNDLE" : "--ca-bundle";
        return file(authorities == null ? System.getenv(name) : authorities).map(path -> new PemFile(name, path));
    }

    private static List<X509Certificate> certificates(PemFile bundle) throws IOException {
        try {
            return bundle.certificates();
        } catch (UnusablePemFileException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private Optional<ClientCertificate> clientCertificate() throws IOException {
        Optional<Path> own = file(certificate);
        Optional<Path> ownKey = file(key);
        if (own.isPresent() != ownKey.isPresent()) {
            throw new IllegalArgumentException("--client-cert and --client-key go together: name both files");
        }
        if (own.isEmpty() || ownKey.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(ClientCertificate.load(
                    new PemFile("--client-cert", own.get()), new PemFile("--client-key", ownKey.get())));
        } catch (UnusablePemFileException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Returns the file that an option or its variable names; an empty variable names none. */
    private static Optional<Path> file(@Nullable String name) {
        return name == null || name.isEmpty() ? Optional.empty() : Optional.of(Path.of(name));
    }

    private OutgoingRequestSigner authenticator() throws IOException {
        if (anonymous) {
            return OutgoingRequestSigner.ANONYMOUS;
        }
        // It fetches temporary credentials before they expire, on a thread of its own.
        DefaultCredentialsProvider provider = DefaultCredentialsProvider.builder()
                .profileName(profile)
                .asyncCredentialUpdateEnabled(true)
                .build();
        try {
            provider.resolveCredentials();
        } catch (SdkClientException e) {
            throw new IOException(
                    "no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, name a --profile, or say"
                            + " --anonymous",
                    e);
        }
        return new OutgoingRequestSigner(region, () -> Optional.of(credentials(provider.resolveCredentials())));
    }

    private static Credentials credentials(AwsCredentials found) {
        return new Credentials(
                found.accessKeyId(),
                Secret.of(found.secretAccessKey()),
                found instanceof AwsSessionCredentials session
                        ? Optional.of(session.sessionToken())
                        : Optional.empty());
    }
}
