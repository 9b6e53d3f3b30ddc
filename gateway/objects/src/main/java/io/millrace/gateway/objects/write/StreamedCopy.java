package io.millrace.gateway.objects.write;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.RequestForwarder.ForwardRequest;
import io.millrace.backend.spi.RequestForwarder.ForwardResponse;
import io.millrace.backend.spi.RequestForwarder.QueryParameter;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import reactor.core.publisher.Mono;

/**
 * Copies an object from one backend to another. The target backend sees an ordinary write, so this class applies S3's
 * directives: it keeps or replaces the metadata, tags and checksum of the source as the request says.
 */
public final class StreamedCopy {
    private static final String TAGGING = "x-amz-tagging";

    /**
     * Headers that describe the object's content. Storage properties are not among them, nor, as in S3, the website
     * redirect.
     */
    private static final Set<String> DESCRIPTION = Set.of(
            "content-type", "content-encoding", "content-language", "content-disposition", "cache-control", "expires");

    private final CopyOrigin source;
    private final HeaderList requested;
    private final Optional<ChecksumAlgorithm> algorithm;

    /**
     * @param requested the headers of the request
     * @throws S3Exception if it asks for a checksum that the gateway cannot compute
     */
    public StreamedCopy(CopyOrigin source, HeaderList requested) {
        this.source = source;
        this.requested = requested;
        this.algorithm = requested.first(UploadChecksumSpec.ALGORITHM_HEADER).map(StreamedCopy::algorithm);
    }

    /**
     * Writes the bytes of the source to the target. A checksum of the whole source, if its head has one, is sent along,
     * so that the target verifies and stores it.
     */
    public Mono<WriteResult> write(OpenedCopyOrigin opened, Backend backend, NewObject target) {
        if (algorithm.isPresent()) {
            UploadBody body = ChecksummingBody.of(opened.body(), algorithm.get());
            return described(opened.head(), target).flatMap(object -> backend.put(object, body));
        }
        boolean stored = backend.capabilities().contains(Capability.CHECKSUMS);
        Optional<HeaderList.HeaderField> checksum = stored ? wholeChecksum(opened.head()) : Optional.empty();
        return described(opened.head(), target)
                .map(object -> checksum.map(sum -> new NewObject(
                                object.object(), object.headers().with(sum.name(), sum.value()), object.condition()))
                        .orElse(object))
                .flatMap(object -> backend.put(object, opened.body()));
    }

    /** Returns a checksum of all bytes that every S3 server stores; not one that is made of those of parts. */
    private static Optional<HeaderList.HeaderField> wholeChecksum(ObjectHead head) {
        boolean composite = head.headers()
                .first(UploadChecksumSpec.TYPE_HEADER)
                .filter(UploadChecksumSpec.COMPOSITE::equalsIgnoreCase)
                .isPresent();
        return head.headers().fields().stream()
                .filter(field -> ChecksumAlgorithm.ofHeader(field.name())
                        .filter(ChecksumAlgorithm::isStoredEverywhere)
                        .isPresent())
                .filter(field -> !composite && !field.value().contains("-"))
                .findFirst();
    }

    /** Returns the target with the metadata and tags of the source that are kept. */
    public Mono<NewObject> described(ObjectHead head, NewObject target) {
        return tags(head).map(tags -> new NewObject(target.object(), fields(head, tags), target.condition()));
    }

    private HeaderList fields(ObjectHead head, HeaderList tags) {
        HeaderList description = replaces("x-amz-metadata-directive") ? requested : head.headers();
        return description
                .where(StreamedCopy::isDescription)
                .with(requested.where(StreamedCopy::isOfStoring))
                .with(tags);
    }

    private Mono<HeaderList> tags(ObjectHead head) {
        if (replaces("x-amz-tagging-directive")) {
            return Mono.just(requested.where(TAGGING::equals));
        }
        boolean none = head.headers()
                .first("x-amz-tagging-count")
                .filter(count -> !count.equals("0"))
                .isEmpty();
        return none ? Mono.just(HeaderList.EMPTY) : tagsOfTheSource(head);
    }

    private Mono<HeaderList> tagsOfTheSource(ObjectHead head) {
        Backend backend = source.bucket().backend();
        if (!backend.capabilities().contains(Capability.TAGS)) {
            return Mono.error(new S3Exception(
                    S3ErrorCode.NOT_IMPLEMENTED,
                    "The tags of this copy's source cannot be read; x-amz-tagging-directive: REPLACE does without."));
        }
        ObjectRef object = source.what().object();
        List<QueryParameter> parameters = new ArrayList<>(List.of(new QueryParameter("tagging", "")));
        head.version()
                .versionId()
                .or(source.what()::versionId)
                .ifPresent(id -> parameters.add(new QueryParameter("versionId", id)));
        return backend.forward(new ForwardRequest(
                        "GET",
                        object.bucket(),
                        Optional.of(object.key()),
                        parameters,
                        HeaderList.EMPTY,
                        ByteBuffer.allocate(0)))
                .map(response -> HeaderList.EMPTY.with(TAGGING, tags(response, object)));
    }

    private static String tags(ForwardResponse response, ObjectRef object) {
        byte[] document = new byte[response.body().remaining()];
        response.body().duplicate().get(document);
        try {
            return TagSetParser.parameters(document);
        } catch (S3Exception noTags) {
            throw new BackendException(
                    FailureKind.INVALID_RESPONSE, "the response for the tags of " + object + " has none", noTags);
        }
    }

    private boolean replaces(String directive) {
        return requested.first(directive).filter("REPLACE"::equals).isPresent();
    }

    private static boolean isDescription(String name) {
        return DESCRIPTION.contains(name) || name.startsWith("x-amz-meta-");
    }

    /**
     * Returns whether a header describes the storage of the target. Checksums do not: they are those of the request's
     * own, empty body.
     */
    private static boolean isOfStoring(String name) {
        return !isDescription(name)
                && !name.equals(TAGGING)
                && !name.endsWith("-directive")
                && !name.equals("content-md5")
                && !name.contains("checksum");
    }

    private static ChecksumAlgorithm algorithm(String name) {
        ChecksumAlgorithm supported = ChecksumAlgorithm.ofWireName(name)
                .orElseThrow(() -> new S3Exception(
                        S3ErrorCode.INVALID_REQUEST, "Checksum algorithm provided is unsupported: " + name));
        if (!supported.isComputed()) {
            throw new S3Exception(
                            S3ErrorCode.NOT_IMPLEMENTED,
                            "This copy goes from one backend to another, and this checksum is not computed on the way.")
                    .with("Header", UploadChecksumSpec.ALGORITHM_HEADER);
        }
        return supported;
    }
}
