package io.millrace.backend.s3;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/** The main class of a process that reads one object with the credentials of its environment and prints the result. */
final class CredentialChainMain {
    private CredentialChainMain() {}

    /** Reads from the endpoint that is the only argument. */
    public static void main(String[] args) {
        Backend backend = new S3BackendProvider().create("cloud", settings(URI.create(args[0])));
        ReadRequest request = ReadRequest.of(new ObjectRef(new BucketName("bucket"), new ObjectKey("key")));
        try {
            System.out.println("size "
                    + backend.head(request).map(head -> head.head().size()).block());
        } catch (RuntimeException failure) {
            System.out.println(failure.getMessage());
        }
        backend.close().block();
        System.exit(0);
    }

    private static S3BackendSettings settings(URI endpoint) {
        return new S3BackendSettings(
                Optional.of(endpoint),
                "us-east-1",
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false,
                new ConnectionSettings(
                        16,
                        BackendTlsSettings.DEFAULTS,
                        Optional.empty(),
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(60)),
                Optional.empty(),
                false);
    }
}
