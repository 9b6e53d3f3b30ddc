package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Tests that the error of a wrong secret names the backend, against a server that verifies signatures. */
class CredentialsRejectedTest {
    @Test
    void reportsRejectedSecretToTheOperatorOnly() {
        try (S3ProxyServer proxy = S3ProxyServer.start();
                SdkObjectSeeder seeder = new SdkObjectSeeder(proxy.server())) {
            BucketName bucket = new BucketName(seeder.createBucket());
            seeder.put(bucket.value(), "key", new byte[] {1}, HeaderList.EMPTY);
            ReadRequest request = ReadRequest.of(new ObjectRef(bucket, new ObjectKey("key")));
            Backend backend = proxy.server().withSecret("not-the-secret").backend();

            List<Mono<?>> all = List.of(
                    backend.open(request).doOnNext(ObjectContent::discard),
                    backend.head(request),
                    backend.listObjects(
                            new ListRequest(bucket, "", "", new ListRequest.PageStart.FirstKey(), 1, false)),
                    backend.listBuckets(),
                    backend.headBucket(bucket));

            assertThat(all).allSatisfy(response -> {
                BackendException failure =
                        Objects.requireNonNull(catchThrowableOfType(BackendException.class, response::block));
                assertThat(failure.kind()).isEqualTo(FailureKind.CREDENTIALS_REJECTED);
                assertThat(failure.s3Error()).isEmpty();
                assertThat(failure)
                        .hasMessageContaining("backend 'test'")
                        .hasMessageContaining("secret-key")
                        .hasMessageNotContaining("not-the-secret");
            });
            backend.close().block();
        }
    }
}
