package io.millrace.backend.gcs;

import io.millrace.backend.gcs.ObjectListPage.NamedObject;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.ChecksumDigest;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Stores and lists the parts of multipart uploads. */
record PartStore(StorageJsonApi api, CompositeUploadStore uploads) {
    private static final Pattern NAME = Pattern.compile("([0-9]{5})(?:\\.([0-9]+))?");

    /** Stores a part, with the checksum that its upload was created with. */
    Mono<UploadedPart> put(UploadRecord upload, int number, HeaderList headers, UploadBody body) {
        VerifyingObjectUploader verified = new VerifyingObjectUploader(api);
        return Mono.defer(() -> {
            Optional<ChecksumAlgorithm> missing = algorithmToCompute(upload)
                    .filter(algorithm -> headers.first(algorithm.headerName()).isEmpty());
            ObjectRef part = uploads.ref(upload, name(number));
            NewObjectMetadata fields = withClass(upload, NewObjectMetadata.of(headers));
            if (missing.isEmpty()) {
                return verified.put(part, fields, GenerationCondition.ANY, body)
                        .map(stored -> part(number, part, stored, Optional.empty()));
            }
            ChecksumDigest digest = missing.get().newDigest();
            UploadBody digested = new UploadBody(body.length(), body.pieces().doOnNext(digest::update), body.trailer());
            return verified.put(part, fields, GenerationCondition.ANY, digested)
                    .flatMap(stored -> putChecksum(upload, number, stored, missing.get(), digest.base64())
                            .map(later -> part(number, part, stored, Optional.of(later))));
        });
    }

    /** Copies a whole object as a part, at the server. */
    Mono<UploadedPart> rewrite(UploadRecord upload, int number, ObjectRef source, ObjectDescription found) {
        ObjectRef part = uploads.ref(upload, name(number));
        NewObjectMetadata fields = withClass(upload, new NewObjectMetadata(Map.of(), Map.of()));
        return api.rewrite(source, found.generation(), part, Optional.of(fields), GenerationCondition.ANY)
                .map(stored -> part(number, part, stored, Optional.empty()));
    }

    /** Returns the algorithm of the upload's checksum if the server does not compute it itself. */
    static Optional<ChecksumAlgorithm> algorithmToCompute(UploadRecord upload) {
        return upload.checksum()
                .map(UploadChecksumSpec::algorithm)
                .filter(algorithm -> algorithm != ChecksumAlgorithm.CRC32C);
    }

    /** Returns the parts of an upload, by number. */
    Mono<NavigableMap<Integer, UploadedPart>> list(UploadRecord upload) {
        return uploads.objects(upload).collectList().map(objects -> parts(uploads.folder(upload), objects));
    }

    private static NavigableMap<Integer, UploadedPart> parts(String folder, List<NamedObject> objects) {
        TreeMap<Integer, NamedObject> parts = new TreeMap<>();
        Map<String, ObjectDescription> checksums = new HashMap<>();
        for (NamedObject object : objects) {
            Matcher name = NAME.matcher(object.name().substring(folder.length()));
            if (name.matches() && name.group(2) == null) {
                parts.put(Integer.parseInt(name.group(1)), object);
            } else if (name.matches()) {
                checksums.put(name.group(), object.description());
            }
        }
        TreeMap<Integer, UploadedPart> found = new TreeMap<>();
        parts.forEach((number, object) -> found.put(
                number,
                new UploadedPart(
                        number,
                        object.name(),
                        object.description(),
                        Optional.ofNullable(checksums.get(
                                checksumName(number, object.description().generation()))))));
        return found;
    }

    /** In an object of its own, because Google Cloud Storage throttles a second write of one name within a second. */
    private Mono<ObjectDescription> putChecksum(
            UploadRecord upload, int number, ObjectDescription part, ChecksumAlgorithm algorithm, String value) {
        NewObjectMetadata fields =
                new NewObjectMetadata(Map.of(), Map.of(ReservedMetadataNames.checksum(algorithm), value));
        return api.insert(
                uploads.ref(upload, checksumName(number, part.generation())),
                fields,
                GenerationCondition.ANY,
                UploadBody.of(0, Flux.empty()));
    }

    /** An object can be composed only of objects of its own class. */
    private static NewObjectMetadata withClass(UploadRecord upload, NewObjectMetadata fields) {
        return upload.fields().storageClass().map(fields::withStorageClass).orElse(fields);
    }

    private static UploadedPart part(
            int number, ObjectRef object, ObjectDescription stored, Optional<ObjectDescription> later) {
        return new UploadedPart(number, object.key().value(), stored, later);
    }

    private static String name(int number) {
        return "%05d".formatted(number);
    }

    private static String checksumName(int number, long generation) {
        return "%05d.%d".formatted(number, generation);
    }
}
