package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.BackendException.Words;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.BucketWriter.NewBucket;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.Written;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.WriteCondition;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Short ways to write, for the cases about writing. */
interface WriterCases extends ContractCases {
    /** A name that no bucket has and that may be given to a new one. */
    BucketName newBucketName();

    default ObjectRef ref(String key) {
        return new ObjectRef(bucket(), new ObjectKey(key));
    }

    default NewObject target(String key, HeaderList headers, WriteCondition condition) {
        return new NewObject(ref(key), headers, condition);
    }

    default NewObject target(String key) {
        return target(key, HeaderList.EMPTY, WriteCondition.ALWAYS);
    }

    default Written put(NewObject object, byte[] bytes) {
        return ContractCases.await(backend().put(object, Body.of(bytes)));
    }

    default Written put(String key, byte[] bytes) {
        return put(target(key), bytes);
    }

    default void delete(ObjectRef object) {
        ContractCases.await(backend().delete(Deletion.of(object), HeaderList.EMPTY));
    }

    default void assertHolds(String key, byte[] bytes) {
        assertThat(read(asking(new ObjectKey(key)))).isEqualTo(bytes);
    }

    default void assertMissing(String key) {
        assertFails(asking(new ObjectKey(key)), Kind.NO_SUCH_KEY);
    }

    /** Does something with another bucket, which is emptied and deleted afterwards. */
    default void inAnotherBucket(Consumer<BucketName> step) {
        BucketName name = newBucketName();
        backend().createBucket(NewBucket.of(name)).block(PATIENCE);
        try {
            step.accept(name);
        } finally {
            Pages.of(backend(), Pages.request(name, "", "", ListRequest.MAX_KEYS))
                    .keys()
                    .forEach(key -> delete(new ObjectRef(name, new ObjectKey(key))));
            backend().deleteBucket(name).block(PATIENCE);
        }
    }

    default byte[] readFrom(BucketName bucket, String key) {
        return read(ReadRequest.of(new ObjectRef(bucket, new ObjectKey(key))));
    }

    static void assertWords(BackendException failure, String code) {
        assertThat(failure.words().map(Words::code)).as(failure.getMessage()).contains(code);
    }

    static void await(String what, BooleanSupplier holds) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime()).as("not in %s: %s", PATIENCE, what).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }
}
