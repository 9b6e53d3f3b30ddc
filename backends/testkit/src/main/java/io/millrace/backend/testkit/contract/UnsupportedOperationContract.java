package io.millrace.backend.testkit.contract;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.MultipartUploads;
import io.millrace.backend.spi.ObjectWriter;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.RequestForwarder.ForwardRequest;
import io.millrace.backend.spi.RequestForwarder.QueryParameter;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.backend.testkit.data.ListedPages;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Operations that a backend does not declare fail without effect. */
interface UnsupportedOperationContract extends ContractSupport {
    @Test
    default void withoutWriteNothingCanBeStoredOrDeleted() {
        assumeFalse(supports(Capability.WRITE), "takes writes");
        ObjectKey kept = seeded("kept", 10);
        ObjectKey other = new ObjectKey("other");

        ContractSupport.assertFailure(backend().put(newObject(other), nothing()), FailureKind.UNSUPPORTED);
        ContractSupport.assertFailure(
                backend().delete(Deletion.of(newObject(kept).object()), HeaderList.EMPTY), FailureKind.UNSUPPORTED);

        assertFails(readRequest(other), FailureKind.NO_SUCH_KEY);
        read(readRequest(kept));
    }

    @Test
    default void withoutListNothingIsListed() {
        assumeFalse(supports(Capability.LIST), "lists");
        ObjectKey kept = seeded("kept", 10);

        ContractSupport.assertFailure(
                backend().listObjects(ListedPages.request(bucket(), "", "", 10)), FailureKind.UNSUPPORTED);
        ContractSupport.assertFailure(backend().listBuckets(), FailureKind.UNSUPPORTED);

        read(readRequest(kept));
    }

    @Test
    default void withoutTagsNoTagsAreForwarded() {
        assumeFalse(supports(Capability.TAGS), "forwards tags");
        ObjectKey kept = seeded("kept", 10);

        ContractSupport.assertFailure(
                backend()
                        .forward(new ForwardRequest(
                                "GET",
                                bucket(),
                                Optional.of(kept),
                                List.of(new QueryParameter("tagging", "")),
                                HeaderList.EMPTY,
                                ByteBuffer.allocate(0))),
                FailureKind.UNSUPPORTED);
    }

    @Test
    default void withoutMultipartNoUploadBegins() {
        assumeFalse(supports(Capability.MULTIPART), "takes multipart uploads");
        ObjectWriter.NewObject object = newObject(new ObjectKey("upload"));
        MultipartUploads.MultipartUpload upload = new MultipartUploads.MultipartUpload(object.object(), "id");

        ContractSupport.assertFailure(backend().createUpload(object), FailureKind.UNSUPPORTED);
        ContractSupport.assertFailure(
                backend().putPart(upload, 1, HeaderList.EMPTY, nothing()), FailureKind.UNSUPPORTED);
        ContractSupport.assertFailure(
                backend().completeUpload(upload, List.of(), HeaderList.EMPTY, object.condition()),
                FailureKind.UNSUPPORTED);
        ContractSupport.assertFailure(backend().abortUpload(upload, HeaderList.EMPTY), FailureKind.UNSUPPORTED);
    }

    @Test
    default void withoutCopyNothingIsCopied() {
        assumeFalse(supports(Capability.COPY), "copies");
        ObjectRef source = newObject(seeded("source", 10)).object();
        ObjectKey target = new ObjectKey("target");

        ContractSupport.assertFailure(
                backend()
                        .copy(
                                new ObjectWriter.CopySource(source, Optional.empty(), ReadConditions.NONE),
                                newObject(target)),
                FailureKind.UNSUPPORTED);
        assertFails(readRequest(target), FailureKind.NO_SUCH_KEY);
    }

    private ObjectWriter.NewObject newObject(ObjectKey key) {
        return new ObjectWriter.NewObject(new ObjectRef(bucket(), key), HeaderList.EMPTY, WriteCondition.ALWAYS);
    }

    private static UploadBody nothing() {
        return UploadBody.of(0, Flux.empty());
    }
}
