package io.millrace.backend.gcs;

import io.millrace.backend.gcs.StorageJsonApi.ComposeSource;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.InvalidRequestErrors;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.UploadCompletion;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.checksum.Base64Digest;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Completes multipart uploads. The object names its upload in reserved metadata, so that a completion whose response
 * was lost is recognized when it is repeated.
 */
record CompositeUploadCompleter(StorageJsonApi api, CompositeUploadStore uploads, PartStore parts) {
    private static final Logger LOG = LoggerFactory.getLogger(CompositeUploadCompleter.class);

    Mono<ObjectDescription> complete(
            MultipartUpload upload, List<CompletedPart> named, HeaderList headers, WriteCondition condition) {
        return Mono.defer(() -> {
                    NewObjectMetadata.of(headers);
                    return uploads.find(upload)
                            .flatMap(found -> assemble(found, named, headers, condition)
                                    .flatMap(stored -> cleanUp(found).thenReturn(stored)));
                })
                .onErrorResume(BackendException.class, failure -> completedBefore(upload, named, failure));
    }

    private Mono<ObjectDescription> assemble(
            UploadRecord upload, List<CompletedPart> named, HeaderList headers, WriteCondition condition) {
        UploadCompletion.checkOrder(named);
        return parts.list(upload).flatMap(stored -> {
            List<UploadedPart> found = named.stream()
                    .map(part -> Optional.ofNullable(stored.get(part.number()))
                            .orElseThrow(() -> InvalidRequestErrors.invalidPart(part.number())))
                    .toList();
            UploadCompletion completion = UploadCompletion.of(
                    upload.checksum(),
                    named,
                    found.stream().map(UploadedPart::listed).toList(),
                    headers);
            Optional<String> crc32c = crc32c(found);
            NewObjectMetadata fields = fields(upload, completion, crc32c);
            List<ComposeSource> sources = found.stream()
                    .map(part -> new ComposeSource(part.name(), part.stored().generation()))
                    .toList();
            GenerationConditionResolver conditions = new GenerationConditionResolver(api);
            return conditions
                    .checkEarly(upload.object(), condition)
                    .then(conditions.under(
                            upload.object(),
                            condition,
                            resolved -> new PartComposer(api, uploads).compose(upload, sources, fields, resolved)))
                    .flatMap(composed -> verified(upload, composed, completion.size(), crc32c));
        });
    }

    private static NewObjectMetadata fields(UploadRecord upload, UploadCompletion completion, Optional<String> crc32c) {
        Map<String, String> custom = new TreeMap<>(upload.fields().custom());
        custom.put(ReservedMetadataNames.ETAG, completion.eTag().opaque());
        custom.put(ReservedMetadataNames.UPLOAD, upload.id());
        crc32c.ifPresent(sum -> custom.put(ReservedMetadataNames.CONTENT, sum));
        for (HeaderField field : completion.checksums().fields()) {
            ChecksumAlgorithm.ofHeader(field.name())
                    .ifPresent(algorithm -> custom.put(ReservedMetadataNames.checksum(algorithm), field.value()));
        }
        completion
                .checksums()
                .first(UploadChecksumSpec.TYPE_HEADER)
                .ifPresent(type -> custom.put(ReservedMetadataNames.CHECKSUM_TYPE, type));
        return new NewObjectMetadata(upload.fields().fields(), custom);
    }

    /** Returns the CRC32C of all parts together; empty if that of one is unknown. */
    private static Optional<String> crc32c(List<UploadedPart> found) {
        byte[] whole = ChecksumAlgorithm.CRC32C.newDigest().bytes();
        for (UploadedPart part : found) {
            Optional<byte[]> sum = part.stored().crc32c().flatMap(ChecksumAlgorithm.CRC32C::decode);
            if (sum.isEmpty()) {
                return Optional.empty();
            }
            whole = ChecksumAlgorithm.CRC32C.combine(
                    whole, sum.get(), part.stored().size());
        }
        return Optional.of(Base64Digest.encode(whole));
    }

    private Mono<ObjectDescription> verified(
            UploadRecord upload, ObjectDescription composed, long size, Optional<String> crc32c) {
        boolean isRight = composed.size() == size
                && (crc32c.isEmpty()
                        || composed.crc32c().map(crc32c.get()::equals).orElse(true));
        if (isRight) {
            return Mono.just(composed);
        }
        BackendException corrupt = new BackendException(
                FailureKind.INVALID_RESPONSE,
                "%s: the server has composed %d bytes with CRC32C %s, not %d with %s"
                        .formatted(upload.object(), composed.size(), composed.crc32c(), size, crc32c));
        return api.delete(upload.object(), Optional.empty(), GenerationCondition.of(composed.generation()))
                .onErrorComplete()
                .then(Mono.error(corrupt));
    }

    /** The object is complete: what cannot be deleted now stays an upload in progress, which an abort deletes. */
    private Mono<Void> cleanUp(UploadRecord upload) {
        return uploads.delete(upload).onErrorResume(failure -> {
            LOG.warn(
                    "Upload {} of {} is complete, but its parts below {} are not all deleted: {}; abort the upload to"
                            + " delete them",
                    upload.id(),
                    upload.object(),
                    uploads.folder(upload),
                    failure.getMessage());
            return Mono.empty();
        });
    }

    /** Returns the object if it is what this upload made of these parts; fails otherwise. */
    private Mono<ObjectDescription> completedBefore(
            MultipartUpload upload, List<CompletedPart> named, BackendException failure) {
        Optional<ETag> tag = tag(named);
        boolean mayBeDone = failure.kind() == FailureKind.NO_SUCH_UPLOAD
                || failure.kind() == FailureKind.NO_SUCH_KEY
                || failure.kind() == FailureKind.PRECONDITION_FAILED
                || failure.kind() == FailureKind.INVALID_REQUEST;
        if (!mayBeDone || tag.isEmpty()) {
            return Mono.error(failure);
        }
        return api.get(upload.object())
                .onErrorMap(BackendException.class, unknown -> failure)
                .filter(found -> found.reserved(ReservedMetadataNames.UPLOAD)
                                .filter(upload.uploadId()::equals)
                                .isPresent()
                        && found.eTag().equals(tag.get()))
                .switchIfEmpty(Mono.error(failure));
    }

    private static Optional<ETag> tag(List<CompletedPart> named) {
        try {
            List<ETag> tags = new ArrayList<>();
            named.forEach(part -> tags.add(part.eTag()));
            return tags.isEmpty() ? Optional.empty() : Optional.of(UploadCompletion.tagOf(tags));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
