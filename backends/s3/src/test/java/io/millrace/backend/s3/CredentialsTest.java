package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ReadRequest;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** A server that checks signatures refuses a wrong secret, and the operator is told whose it is. */
class CredentialsTest {
    @Test
    void wrongSecretIsRefusedAndToldToTheOperatorOnly() {
        try (S3ProxyServer proxy = S3ProxyServer.start();
                Seeder seeder = new Seeder(proxy.server())) {
            BucketName bucket = new BucketName(seeder.createBucket());
            seeder.put(bucket.value(), "key", new byte[] {1}, HeaderList.EMPTY);
            ReadRequest request = ReadRequest.of(new ObjectRef(bucket, new ObjectKey("key")));
            Backend backend = proxy.server().withSecret("not-the-secret").backend();

            List<Mono<?>> all = List.of(
                    backend.open(request).doOnNext(ObjectContent::discard),
                    backend.head(request),
                    backend.list(new ListRequest(bucket, "", "", new ListRequest.From.Beginning(), 1, false)),
                    backend.buckets(),
                    backend.bucket(bucket));

            assertThat(all).allSatisfy(answer -> {
                BackendException failure =
                        Objects.requireNonNull(catchThrowableOfType(BackendException.class, answer::block));
                assertThat(failure.kind()).isEqualTo(Kind.CREDENTIALS_REJECTED);
                assertThat(failure.words()).isEmpty();
                assertThat(failure)
                        .hasMessageContaining("backend 'test'")
                        .hasMessageContaining("secret-key")
                        .hasMessageNotContaining("not-the-secret");
            });
            backend.close().block();
        }
    }
}
