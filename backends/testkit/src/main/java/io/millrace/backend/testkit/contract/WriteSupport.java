package io.millrace.backend.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.BucketManager.NewBucket;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.data.ListedPages;
import io.millrace.backend.testkit.data.UploadBodies;
import java.util.function.Consumer;

/** Short methods to write, for the tests of writes. */
interface WriteSupport extends ContractSupport {
    /** Returns an unused bucket name. */
    BucketName newBucketName();

    /** Returns whether tags are the MD5s that S3 has. */
    boolean hasMd5Tags();

    default ObjectRef ref(String key) {
        return new ObjectRef(bucket(), new ObjectKey(key));
    }

    default NewObject target(String key, HeaderList headers, WriteCondition condition) {
        return new NewObject(ref(key), headers, condition);
    }

    default NewObject target(String key) {
        return target(key, HeaderList.EMPTY, WriteCondition.ALWAYS);
    }

    default WriteResult put(NewObject object, byte[] bytes) {
        return ContractSupport.await(backend().put(object, UploadBodies.of(bytes)));
    }

    default WriteResult put(String key, byte[] bytes) {
        return put(target(key), bytes);
    }

    default void delete(ObjectRef object) {
        ContractSupport.await(backend().delete(Deletion.of(object), HeaderList.EMPTY));
    }

    default void assertContent(String key, byte[] bytes) {
        assertThat(read(readRequest(new ObjectKey(key)))).isEqualTo(bytes);
    }

    default void assertMissing(String key) {
        assertFails(readRequest(new ObjectKey(key)), FailureKind.NO_SUCH_KEY);
    }

    /** Runs a step with another bucket, which is emptied and deleted afterwards. */
    default void inAnotherBucket(Consumer<BucketName> step) {
        BucketName name = newBucketName();
        backend().createBucket(NewBucket.of(name)).block(TIMEOUT);
        try {
            step.accept(name);
        } finally {
            ListedPages.readAll(backend(), ListedPages.request(name, "", "", ListRequest.MAX_KEYS))
                    .keys()
                    .forEach(key -> delete(new ObjectRef(name, new ObjectKey(key))));
            backend().deleteBucket(name).block(TIMEOUT);
        }
    }

    default byte[] readFrom(BucketName bucket, String key) {
        return read(ReadRequest.of(new ObjectRef(bucket, new ObjectKey(key))));
    }

    static void assertS3Error(BackendException failure, String code) {
        assertThat(failure.s3Error().map(S3Error::code))
                .as(failure.getMessage())
                .contains(code);
    }
}
