package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.BucketInfo;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.Conditions;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.RangeSpec;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.Selection;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is not there, and which buckets are. */
interface MissingCases extends ContractCases {
    /** A bucket that no implementation makes. */
    BucketName NOWHERE = new BucketName("millrace-no-such-bucket");

    @Test
    default void missingKeyIsToldWhateverElseIsAsked() {
        seeded("there/is/something", 1);
        Conditions any =
                new Conditions(Optional.of(Conditions.ANY), Optional.empty(), Optional.empty(), Optional.empty());
        ReadRequest request = asking(new ObjectKey("there/is/nothing"));

        assertFails(request, Kind.NO_SUCH_KEY);
        assertFails(request.select(new Selection.Range(new RangeSpec.From(5))), Kind.NO_SUCH_KEY);
        assertFails(request.onlyIf(any), Kind.NO_SUCH_KEY);
    }

    @Test
    default void prefixOfAKeyIsNoKey() {
        seeded("deep/er/file", 1);

        assertFails(asking(new ObjectKey("deep")), Kind.NO_SUCH_KEY);
        assertFails(asking(new ObjectKey("deep/")), Kind.NO_SUCH_KEY);
        assertFails(asking(new ObjectKey("deep/er")), Kind.NO_SUCH_KEY);
        assertFails(asking(new ObjectKey("deep/er/")), Kind.NO_SUCH_KEY);
        assertFails(asking(new ObjectKey("deep/er/file/")), Kind.NO_SUCH_KEY);
        assertFails(asking(new ObjectKey("deep/er/file/below")), Kind.NO_SUCH_KEY);
    }

    @Test
    default void removedKeyIsMissing() {
        ObjectKey key = seeded("gone", 1);

        remove(key);

        assertFails(asking(key), Kind.NO_SUCH_KEY);
    }

    @Test
    default void errorsAreFreshEachTime() {
        ReadRequest request = asking(new ObjectKey("nothing"));

        BackendException first = ContractCases.failure(backend().head(request), Kind.NO_SUCH_KEY);
        BackendException second = ContractCases.failure(backend().head(request), Kind.NO_SUCH_KEY);

        assertThat(first).isNotSameAs(second);
    }

    @Test
    default void missingBucketIsTold() {
        ReadRequest request = ReadRequest.of(new ObjectRef(NOWHERE, new ObjectKey("key")));
        ListRequest list = new ListRequest(NOWHERE, "", "", new ListRequest.From.Beginning(), 10, false);

        ContractCases.failure(backend().open(request).doOnNext(ObjectContent::discard), Kind.NO_SUCH_BUCKET);
        ContractCases.failure(backend().list(list), Kind.NO_SUCH_BUCKET);
        ContractCases.failure(backend().bucket(NOWHERE), Kind.NO_SUCH_BUCKET);
    }

    /** A HEAD has no body, so S3 cannot say which of the two is missing. */
    @Test
    default void headInAMissingBucketFindsNothing() {
        ReadRequest request = ReadRequest.of(new ObjectRef(NOWHERE, new ObjectKey("key")));

        BackendException failure = catchThrowableOfType(
                BackendException.class, () -> backend().head(request).block(PATIENCE));

        assertThat(failure).isNotNull();
        assertThat(failure.kind()).isIn(Kind.NO_SUCH_BUCKET, Kind.NO_SUCH_KEY);
    }

    @Test
    default void bucketsAreListedByNameAndEachIsKnown() {
        BucketName bucket = bucket();

        assertThat(ContractCases.await(backend().buckets()))
                .extracting(BucketInfo::name)
                .contains(bucket)
                .doesNotContain(NOWHERE)
                .isSorted();
        assertThat(ContractCases.await(backend().bucket(bucket)).name()).isEqualTo(bucket);
    }

    @Test
    default void nothingHappensBeforeSubscription() {
        ObjectKey key = new ObjectKey("later");
        var head = backend().head(asking(key));
        var list = backend().list(new ListRequest(bucket(), "", "", new ListRequest.From.Beginning(), 10, false));

        seed(key, new byte[] {1}, HeaderList.EMPTY);

        assertThat(ContractCases.await(head).head().size()).isEqualTo(1);
        assertThat(ContractCases.await(list).objects()).hasSize(1);
    }
}
