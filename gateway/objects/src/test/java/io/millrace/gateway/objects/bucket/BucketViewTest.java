package io.millrace.gateway.objects.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.PassingBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

/** Tests what a view tells of a bucket that its backend lacks, and which requests it counts. */
class BucketViewTest {
    @ParameterizedTest
    @CsvSource({"InvalidBucketName, NO_SUCH_BUCKET, true", "InvalidRequest, INVALID_REQUEST, false"})
    void bucketWhoseNameTheServerRefusesIsMissing(String code, FailureKind fault, boolean isMissing) {
        BackendException refusal = new BackendException(FailureKind.INVALID_REQUEST, "400")
                .withS3Error(new BackendException.S3Error(400, code, "said so"));
        PassingBackend strict = new PassingBackend(new InMemoryBackend(Set.of())) {
            @Override
            public Mono<BucketInfo> headBucket(BucketName name) {
                return Mono.error(refusal);
            }
        };
        BucketView bucket = BucketViews.of("bucket", strict, "bucket", "");

        assertThat(bucket.findFault().block()).isEqualTo(fault);
        assertThat(bucket.isMissing().block()).isEqualTo(isMissing);
    }

    /** The name at the backend is the operator's, and whoever misspelt nothing should know that there is another. */
    @Test
    void absenceTellsOfAnotherNameAndOfOneThatMostServersRefuse() {
        InMemoryBackend empty = new InMemoryBackend(Set.of());

        assertThat(BucketViews.of("mine", empty, "mine", "").absence())
                .isEqualTo("does not exist at backend 'backend'");
        assertThat(BucketViews.of("mine", empty, "there", "").absence())
                .isEqualTo("does not exist at backend 'backend', where it has another name");
        assertThat(BucketViews.of("mine", empty, "Mine_There", "").absence())
                .contains("another name; that is a name that most servers refuse", "small letters")
                .doesNotContain("Mine_There");
    }

    @Test
    void readOfADerivedBucketIsCountedByItsSourceAlone() {
        BucketName name = new BucketName("samples");
        ObjectRef member = new ObjectRef(name, new ObjectKey("a.tar/one"));
        InMemoryBackend members = new InMemoryBackend(Set.of()).createBucket(name);
        members.store(member, new byte[1], HeaderList.EMPTY);
        BucketSavingsRegistry accounts = BucketSavingsRegistry.free();
        BucketView bucket = new BucketView(
                name, BucketViews.derived("samples", "shards", "*", ""), members, accounts.of("derived:samples", name));

        assertThat(bucket.head(ReadRequest.of(member)).block()).isNotNull();

        assertThat(accounts.statements()).isEmpty();
    }
}
