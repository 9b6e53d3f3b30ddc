package io.millrace.gateway.objects.scratch;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.InvalidRequestErrors;
import io.millrace.backend.spi.MultipartUploads;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.CreatedUpload;
import io.millrace.backend.spi.MultipartUploads.ListUploadsRequest;
import io.millrace.backend.spi.MultipartUploads.ListedPart;
import io.millrace.backend.spi.MultipartUploads.ListedUpload;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.PartPage;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.MultipartUploads.UploadPage;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.UploadCompletion;
import io.millrace.backend.spi.UploadListPageBuilder;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.WriteHeaderPolicy;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.ChecksumDigest;
import io.millrace.backend.spi.checksum.HashDigest;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.kit.async.UncancellableMono;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The multipart uploads of a scratch bucket. A part is a version of its key, {@code UPLOAD.00001}, which no list of
 * objects shows and which counts for the quota; what an upload was created with is an object without bytes of a backend
 * that does not exist. A completion copies the parts into the object. All of them end with the time of the bucket. The
 * tag of the object tells of which upload and parts it is made, so that a completion that is repeated finds it.
 */
record ScratchUploads(ScratchObjects objects, ScratchSweeper sweeper) {
    private static final Logger log = LoggerFactory.getLogger(ScratchUploads.class);

    /** Begins the name of the backend that has what uploads were created with. */
    private static final String PLACE = "~uploads:";

    /** Entries of the metadata store that are read at a time, and parts that are looked for at a time. */
    private static final int STEP = 1000;

    private static final int PARTS_AT_A_TIME = 16;

    /** The bytes of a hash at the beginning of a tag, which tell what an object was made of. */
    private static final int ORIGIN_BYTES = 8;

    Mono<CreatedUpload> create(NewObject object) {
        return Mono.defer(() -> {
            objects.requireBucket(object.object().bucket());
            HeaderList given = WriteHeaderPolicy.storable(ScratchObjects.TYPE, object.headers());
            HeaderList wanted = UploadChecksumSpec.of(object.headers())
                    .map(UploadChecksumSpec::headers)
                    .orElse(HeaderList.EMPTY);
            MultipartUpload upload = new MultipartUpload(object.object(), ScratchObjects.newId());
            HeaderList stored = WriteHeaderPolicy.withoutChecksums(given).with(wanted);
            ObjectHead head = objects.head(ScratchObjects.newTag(0), 0, stored);
            return objects.write(id(upload), head, Flux.empty())
                    .flatMap(record -> objects.store().publish(record, before -> {}))
                    .then(Mono.just(new CreatedUpload(upload, wanted)));
        });
    }

    private ObjectId id(MultipartUpload upload) {
        objects.requireBucket(upload.object().bucket());
        return new ObjectId(PLACE + objects.backendName(), upload.object(), Optional.of(upload.uploadId()));
    }

    private ObjectId id(MultipartUpload upload, int number) {
        return new ObjectId(
                objects.backendName(), upload.object(), Optional.of(prefix(upload) + "%05d".formatted(number)));
    }

    private static String prefix(MultipartUpload upload) {
        return upload.uploadId() + '.';
    }

    /** Returns what an upload was created with. */
    private Mono<ObjectMetadata> find(MultipartUpload upload) {
        return Mono.defer(() -> objects.find(id(upload)))
                .switchIfEmpty(Mono.error(() -> new BackendException(
                        FailureKind.NO_SUCH_UPLOAD, "the scratch bucket has no upload " + upload.uploadId())));
    }

    private static Optional<UploadChecksumSpec> checksum(ObjectMetadata upload) {
        return UploadChecksumSpec.of(upload.head().headers());
    }

    /** Stores a part. Continues if cancelled, as a client that leaves fails the body, and no piece of it is lost so. */
    Mono<StoredPart> putPart(MultipartUpload upload, int number, HeaderList headers, UploadBody body) {
        return UncancellableMono.of(find(upload).flatMap(created -> {
            if (number < 1 || number > MultipartUploads.MAX_PARTS) {
                throw InvalidRequestErrors.error(
                        "InvalidArgument", "Part number must be an integer between 1 and 10000, inclusive");
            }
            HeaderList given = WriteHeaderPolicy.checksums(WriteHeaderPolicy.storable(ScratchObjects.TYPE, headers));
            MissingChecksum sum = MissingChecksum.of(checksum(created), given, body);
            ETag tag = ScratchObjects.newTag(0);
            return objects.write(id(upload, number), objects.head(tag, body.length(), given), sum.watched(body))
                    .doOnNext(sweeper::written)
                    .map(written ->
                            ScratchObjects.withHeaders(written, sum.addTo(ScratchObjects.withTrailer(given, body))))
                    .flatMap(part -> publish(upload, part).thenReturn(part))
                    .map(part -> new StoredPart(number, tag, part.head().headers(), Optional.empty()));
        }));
    }

    /** Stores a part; if its upload has ended meanwhile, the part does not stay. */
    private Mono<Void> publish(MultipartUpload upload, ObjectMetadata part) {
        return objects.store()
                .publish(part, before -> {})
                .then(find(upload))
                .onErrorResume(failure -> objects.store().remove(part).then(Mono.error(failure)))
                .then();
    }

    /** The checksum of a part that its upload wants and its client does not send. */
    private record MissingChecksum(Optional<ChecksumAlgorithm> algorithm, Optional<ChecksumDigest> digest) {
        static MissingChecksum of(Optional<UploadChecksumSpec> wanted, HeaderList given, UploadBody body) {
            Optional<ChecksumAlgorithm> missing = wanted.map(UploadChecksumSpec::algorithm)
                    .filter(algorithm -> given.first(algorithm.headerName()).isEmpty())
                    .filter(algorithm -> body.trailer()
                            .filter(trailer -> trailer.name().equals(algorithm.headerName()))
                            .isEmpty());
            return new MissingChecksum(missing, missing.map(ChecksumAlgorithm::newDigest));
        }

        Flux<ByteBuf> watched(UploadBody body) {
            return digest.map(running -> body.pieces().doOnNext(running::update))
                    .orElse(body.pieces());
        }

        /** Returns headers with it; once all bytes have passed. */
        HeaderList addTo(HeaderList headers) {
            return algorithm
                    .map(missing -> headers.with(
                            missing.headerName(), digest.orElseThrow().base64()))
                    .orElse(headers);
        }
    }

    Mono<WriteResult> complete(
            MultipartUpload upload, List<CompletedPart> named, HeaderList headers, WriteCondition condition) {
        return find(upload)
                .flatMap(created -> {
                    HeaderList unused = WriteHeaderPolicy.storable(ScratchObjects.TYPE, headers);
                    UploadCompletion.checkOrder(named);
                    return parts(upload, named)
                            .flatMap(parts -> assemble(upload, created, named, parts, headers, condition))
                            .flatMap(written -> end(upload).thenReturn(written));
                })
                .onErrorResume(
                        BackendException.class,
                        failure -> completed(upload, named).switchIfEmpty(Mono.error(failure)));
    }

    /**
     * Returns what an earlier completion with these parts was answered, of which the client perhaps knows nothing;
     * empty if there was none, or if its object is not there any more.
     */
    private Mono<WriteResult> completed(MultipartUpload upload, List<CompletedPart> named) {
        return Mono.defer(() -> objects.find(objects.id(upload.object())))
                .filter(there -> there.head()
                        .eTag()
                        .filter(tag -> tag.opaque().startsWith(origin(upload, named)))
                        .isPresent())
                .map(ScratchBackend::result);
    }

    /** Returns how the tag begins of what an upload and these parts make. */
    private static String origin(MultipartUpload upload, List<CompletedPart> named) {
        String text = named.stream()
                .map(part -> part.number() + " " + part.eTag().opaque())
                .collect(Collectors.joining("\n", upload.uploadId() + '\n', ""));
        return HexFormat.of().formatHex(HashDigest.sha256(text.getBytes(StandardCharsets.UTF_8)), 0, ORIGIN_BYTES);
    }

    private Mono<List<ObjectMetadata>> parts(MultipartUpload upload, List<CompletedPart> named) {
        return Flux.fromIterable(named)
                .flatMapSequential(
                        part -> objects.find(id(upload, part.number()))
                                .switchIfEmpty(Mono.error(() -> InvalidRequestErrors.invalidPart(part.number()))),
                        PARTS_AT_A_TIME)
                .collectList();
    }

    private Mono<WriteResult> assemble(
            MultipartUpload upload,
            ObjectMetadata created,
            List<CompletedPart> named,
            List<ObjectMetadata> parts,
            HeaderList headers,
            WriteCondition condition) {
        List<ListedPart> listed = parts.stream().map(ScratchUploads::listed).toList();
        UploadCompletion completion = UploadCompletion.of(checksum(created), named, listed, headers);
        HeaderList stored = created.head()
                .headers()
                .where(name -> !ChecksumAlgorithm.isHeader(name))
                .with(completion.checksums());
        ObjectId id = objects.id(upload.object());
        ObjectHead head =
                objects.head(ScratchObjects.newTag(origin(upload, named), parts.size()), completion.size(), stored);
        Flux<ByteBuf> bytes = Flux.fromIterable(parts).concatMap(part -> objects.read(part, Optional.empty()), 1);
        return objects.checkEarly(id, condition)
                .then(objects.write(id, head, bytes))
                .doOnNext(sweeper::written)
                .flatMap(written -> ScratchBackend.publish(objects, written, condition));
    }

    private static ListedPart listed(ObjectMetadata part) {
        ObjectHead head = part.head();
        return new ListedPart(
                number(part).orElseThrow(),
                head.eTag().orElseThrow(),
                head.size(),
                head.lastModified().orElseThrow(),
                head.headers().where(ChecksumAlgorithm::isHeader));
    }

    /** Returns the number of a part; empty if this is none. */
    private static OptionalInt number(ObjectMetadata part) {
        String version = part.id().versionId().orElse("");
        int dot = version.lastIndexOf('.');
        return dot < 0 ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(version.substring(dot + 1)));
    }

    Mono<Void> abort(MultipartUpload upload) {
        return find(upload).flatMap(created -> end(upload));
    }

    /** Ends an upload; its parts leave soon after. */
    private Mono<Void> end(MultipartUpload upload) {
        return objects.store()
                .remove(id(upload), there -> {})
                .doOnSuccess(done -> stored(upload, 0, STEP)
                        .expand(found -> found.size() < STEP
                                ? Mono.empty()
                                : stored(upload, number(found.get(STEP - 1)).orElseThrow(), STEP))
                        .concatMapIterable(found -> found, 1)
                        .concatMap(part -> objects.store().remove(part))
                        .subscribe(
                                removed -> {},
                                failure -> log.debug("Parts of the ended upload {} stay", upload.uploadId(), failure)));
    }

    /** Returns parts of an upload in the order of their numbers, also those that have lost blocks. */
    private Mono<List<ObjectMetadata>> stored(MultipartUpload upload, int after, int most) {
        ObjectRef object = upload.object();
        ObjectPrefix below = new ObjectPrefix(
                objects.backendName(), object.bucket(), object.key().value());
        return objects.store()
                .list(below, Optional.of(id(upload, after)), most)
                .map(found ->
                        found.stream().filter(part -> isOf(upload, part.id())).toList());
    }

    private static boolean isOf(MultipartUpload upload, ObjectId part) {
        return part.object().equals(upload.object())
                && part.versionId()
                        .filter(version -> version.startsWith(prefix(upload)))
                        .isPresent();
    }

    Mono<PartPage> listParts(MultipartUpload upload, int after, int maxParts) {
        return find(upload)
                .flatMap(created -> stored(upload, after, maxParts + 1).map(found -> page(created, found, maxParts)));
    }

    private PartPage page(ObjectMetadata created, List<ObjectMetadata> found, int maxParts) {
        List<ObjectMetadata> some = found.subList(0, Math.min(found.size(), maxParts));
        Optional<Integer> next = some.isEmpty() || found.size() <= maxParts
                ? Optional.empty()
                : Optional.of(number(some.get(some.size() - 1)).orElseThrow());
        return new PartPage(
                some.stream()
                        .filter(part ->
                                objects.isInTime(part) && objects.store().isWhole(part))
                        .map(ScratchUploads::listed)
                        .toList(),
                "STANDARD",
                created.head().headers().where(ChecksumAlgorithm::isHeader),
                next);
    }

    Mono<UploadPage> list(ListUploadsRequest query) {
        return Mono.defer(() -> {
            objects.requireBucket(query.bucket());
            ObjectPrefix below = new ObjectPrefix(PLACE + objects.backendName(), query.bucket(), query.prefix());
            UploadListPageBuilder page = new UploadListPageBuilder(query);
            return step(below, first(query))
                    .expand(found -> found.size() < STEP
                            ? Mono.empty()
                            : step(below, Optional.of(found.get(STEP - 1).id())))
                    .concatMapIterable(found -> found, 1)
                    .filter(upload ->
                            objects.isInTime(upload) && objects.store().isWhole(upload))
                    .map(ScratchUploads::listedUpload)
                    .takeWhile(page::add)
                    .then(Mono.fromSupplier(page::page));
        });
    }

    private Mono<List<ObjectMetadata>> step(ObjectPrefix below, Optional<ObjectId> after) {
        return objects.store().list(below, after, STEP).doOnNext(objects::removeOld);
    }

    /** Returns a position before the first upload of a page; empty for that before all. */
    private Optional<ObjectId> first(ListUploadsRequest query) {
        return Optional.of(query.keyMarker())
                .filter(marker -> marker.startsWith(query.prefix()))
                .flatMap(objects::named)
                .map(object -> ObjectId.current(PLACE + objects.backendName(), object));
    }

    private static ListedUpload listedUpload(ObjectMetadata upload) {
        ObjectId id = upload.id();
        return new ListedUpload(
                new MultipartUpload(id.object(), id.versionId().orElseThrow()),
                upload.head().lastModified().orElseThrow(),
                "STANDARD",
                upload.head().headers().where(ChecksumAlgorithm::isHeader));
    }
}
