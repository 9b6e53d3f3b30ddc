package io.millrace.backend.testkit;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.Conditions;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ObjectWriter;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** What a backend does not declare it refuses, and does nothing. */
interface RefusalCases extends ContractCases {
    @Test
    default void withoutWriteNothingCanBeStoredOrDeleted() {
        assumeFalse(can(Capability.WRITE), "takes writes");
        ObjectKey kept = seeded("kept", 10);
        ObjectKey other = new ObjectKey("other");

        ContractCases.failure(backend().put(newObject(other), nothing()), Kind.UNSUPPORTED);
        ContractCases.failure(
                backend().delete(Deletion.of(newObject(kept).object()), HeaderList.EMPTY), Kind.UNSUPPORTED);

        assertFails(asking(other), Kind.NO_SUCH_KEY);
        read(asking(kept));
    }

    @Test
    default void withoutMultipartNoUploadBegins() {
        assumeFalse(can(Capability.MULTIPART), "takes multipart uploads");
        ObjectWriter.NewObject object = newObject(new ObjectKey("upload"));
        MultipartUploads.Upload upload = new MultipartUploads.Upload(object.object(), "id");

        ContractCases.failure(backend().createUpload(object), Kind.UNSUPPORTED);
        ContractCases.failure(backend().putPart(upload, 1, HeaderList.EMPTY, nothing()), Kind.UNSUPPORTED);
        ContractCases.failure(
                backend().completeUpload(upload, List.of(), HeaderList.EMPTY, object.condition()), Kind.UNSUPPORTED);
        ContractCases.failure(backend().abortUpload(upload, HeaderList.EMPTY), Kind.UNSUPPORTED);
    }

    @Test
    default void withoutCopyNothingIsCopied() {
        assumeFalse(can(Capability.COPY), "copies");
        ObjectRef source = newObject(seeded("source", 10)).object();
        ObjectKey target = new ObjectKey("target");

        ContractCases.failure(
                backend()
                        .copy(
                                new ObjectWriter.CopySource(source, Optional.empty(), Conditions.NONE),
                                newObject(target)),
                Kind.UNSUPPORTED);
        assertFails(asking(target), Kind.NO_SUCH_KEY);
    }

    private ObjectWriter.NewObject newObject(ObjectKey key) {
        return new ObjectWriter.NewObject(new ObjectRef(bucket(), key), HeaderList.EMPTY, WriteCondition.ALWAYS);
    }

    private static UploadBody nothing() {
        return UploadBody.of(0, Flux.empty());
    }
}
