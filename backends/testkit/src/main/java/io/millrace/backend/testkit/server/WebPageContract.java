package io.millrace.backend.testkit.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BucketManager.NewBucket;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.ListUploadsRequest;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.DeleteOutcome;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.VersionLister.ListVersionsRequest;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.data.UploadBodies;
import io.millrace.backend.testkit.server.ScriptedServer.ReceivedRequest;
import io.millrace.backend.testkit.server.ScriptedServer.ServerConnection;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

/**
 * The contract of a backend in front of which something says 200 with a page for people, whatever is asked: nothing has
 * succeeded. The test class of a backend extends it; that of web servers does not, because pages may be their objects.
 */
@ExtendWith(BufferLeakExtension.class)
@Timeout(180)
public abstract class WebPageContract {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final String HTML = "Content-Type: text/html; charset=utf-8";
    private static final byte[] PAGE =
            "\n<!DOCTYPE html><html><head><title>Maintenance</title></head><body>Back soon.</body></html>"
                    .getBytes(StandardCharsets.UTF_8);

    private @Nullable ScriptedServer server;
    private @Nullable Backend backend;

    /** Opens a backend that does not retry, with one server. */
    protected abstract Backend connect(URI url);

    /** Returns an object that the server may be asked for. */
    protected ObjectRef object() {
        return new ObjectRef(new BucketName("bucket"), new ObjectKey("key"));
    }

    /** Returns a prefix that the server may be asked to list. */
    protected String prefix() {
        return "";
    }

    /**
     * Returns whether a page with a tag cannot be told from an object: such a tag is all that the protocol's objects
     * have.
     */
    protected boolean takesTaggedPagesForObjects() {
        return false;
    }

    @AfterEach
    void stop() throws IOException {
        if (backend != null) {
            backend.close().block(TIMEOUT);
        }
        if (server != null) {
            server.close();
        }
    }

    @Test
    void pageIsNoSuccessOfAnyOperation() throws IOException {
        assertThat(successes(HTML)).isEmpty();
    }

    @Test
    void pageOfAnotherTypeIsNoSuccessOfAnyOperation() throws IOException {
        assertThat(successes("Content-Type: text/plain")).isEmpty();
    }

    @Test
    void pageWithATagAcknowledgesNothing() throws IOException {
        Set<String> successes =
                successes(HTML, "ETag: \"65f1a2b3-5d\"", "Last-Modified: Fri, 20 Nov 2026 10:00:00 GMT");
        if (takesTaggedPagesForObjects()) {
            successes.removeAll(Set.of("head", "open"));
        }

        assertThat(successes).isEmpty();
    }

    /** Returns the operations that sent a request and succeeded; each other one has failed as it should. */
    private Set<String> successes(String... fields) throws IOException {
        ScriptedServer pages = ScriptedServer.start((request, wire) -> page(request, wire, fields));
        server = pages;
        Backend connected = connect(pages.uri());
        backend = connected;
        Set<String> successes = new TreeSet<>();
        Set<String> asked = new TreeSet<>();
        operations(connected).forEach((name, operation) -> {
            int before = pages.requests().size();
            Optional<BackendException> failure = failure(operation);
            if (pages.requests().size() == before) {
                return;
            }
            asked.add(name);
            if (failure.isEmpty()) {
                successes.add(name);
            } else {
                assertThat(failure.get().kind())
                        .as("%s: %s", name, failure.get().getMessage())
                        .isIn(FailureKind.INVALID_RESPONSE, FailureKind.UNAVAILABLE);
            }
        });
        assertThat(asked).contains("head", "open", "list");
        return successes;
    }

    private static void page(ReceivedRequest request, ServerConnection wire, String... fields) throws IOException {
        if (request.header("expect").isPresent()) {
            wire.head("100 Continue");
        }
        wire.take(request);
        String[] head = new String[fields.length + 1];
        System.arraycopy(fields, 0, head, 0, fields.length);
        head[fields.length] = "Content-Length: " + PAGE.length;
        wire.head("200 OK", head);
        if (!request.method().equals("HEAD")) {
            wire.bytes(PAGE);
        }
    }

    private Map<String, Mono<?>> operations(Backend backend) {
        ObjectRef object = object();
        ObjectRef other = new ObjectRef(object.bucket(), new ObjectKey("other"));
        BucketName bucket = object.bucket();
        MultipartUpload upload = new MultipartUpload(object, "0123456789abcdef0123456789abcdef");
        CopySource source = new CopySource(other, Optional.empty(), ReadConditions.NONE);
        NewObject target = new NewObject(object, HeaderList.EMPTY, WriteCondition.ALWAYS);
        NewObject absent = new NewObject(object, HeaderList.EMPTY, new WriteCondition.IfAbsent());
        ReadRequest read = ReadRequest.of(object);
        PageStart first = new PageStart.FirstKey();
        CompletedPart part = new CompletedPart(1, ETag.strong("tag"), HeaderList.EMPTY);
        Map<String, Mono<?>> operations = new LinkedHashMap<>();
        operations.put("head", backend.head(read));
        operations.put("open", backend.open(read).doOnNext(ObjectContent::discard));
        operations.put("list", backend.listObjects(new ListRequest(bucket, prefix(), "", first, 1000, false)));
        operations.put("list of nothing", backend.listObjects(new ListRequest(bucket, prefix(), "", first, 0, false)));
        operations.put("listVersions", backend.listVersions(new ListVersionsRequest(bucket, "", "", "", "", 1000)));
        operations.put("listBuckets", backend.listBuckets());
        operations.put("headBucket", backend.headBucket(bucket));
        operations.put("put", backend.put(target, body(3)));
        operations.put("put of nothing", backend.put(target, body(0)));
        operations.put("put if absent", backend.put(absent, body(3)));
        operations.put("copy", backend.copy(source, target));
        operations.put("delete", backend.delete(Deletion.of(object), HeaderList.EMPTY));
        operations.put(
                "deleteAll",
                backend.deleteAll(bucket, List.of(Deletion.of(object), Deletion.of(other)), HeaderList.EMPTY)
                        .doOnNext(WebPageContract::failByFirst));
        operations.put("createUpload", backend.createUpload(target));
        operations.put("putPart", backend.putPart(upload, 1, HeaderList.EMPTY, body(3)));
        operations.put("copyPart", backend.copyPart(upload, 1, source, Optional.empty(), HeaderList.EMPTY));
        operations.put(
                "completeUpload",
                backend.completeUpload(upload, List.of(part), HeaderList.EMPTY, WriteCondition.ALWAYS));
        operations.put("abortUpload", backend.abortUpload(upload, HeaderList.EMPTY));
        operations.put("listParts", backend.listParts(upload, 0, 1000));
        operations.put("listUploads", backend.listUploads(new ListUploadsRequest(bucket, "", "", "", "", 1000)));
        operations.put("createBucket", backend.createBucket(NewBucket.of(bucket)));
        operations.put("deleteBucket", backend.deleteBucket(bucket));
        return operations;
    }

    private static UploadBody body(int length) {
        return UploadBodies.of(new byte[length]);
    }

    private static void failByFirst(List<DeleteOutcome> outcomes) {
        outcomes.stream()
                .flatMap(outcome -> outcome.failure().stream())
                .findFirst()
                .ifPresent(failure -> {
                    throw failure;
                });
    }

    private static Optional<BackendException> failure(Mono<?> operation) {
        try {
            operation.block(TIMEOUT);
            return Optional.empty();
        } catch (BackendException failure) {
            return Optional.of(failure);
        }
    }
}
