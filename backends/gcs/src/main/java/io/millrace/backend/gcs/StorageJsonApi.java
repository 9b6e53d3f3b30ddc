package io.millrace.backend.gcs;

import io.millrace.backend.gcs.ObjectListPage.NamedObject;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The operations of the JSON API on objects. Nothing happens before subscription; failures are {@link
 * BackendException}s.
 */
record StorageJsonApi(GcsClient client) {
    /** The fields of an object that are requested. */
    private static final String FIELDS =
            "name,generation,size,md5Hash,crc32c,updated,timeCreated,storageClass,contentType,"
                    + "contentEncoding,contentLanguage,contentDisposition,cacheControl,metadata";

    /** The fields of a listed object that are requested. */
    private static final String LISTED_FIELDS =
            "items(name,generation,size,md5Hash,crc32c,updated,storageClass,metadata),prefixes,nextPageToken";

    /** An object to compose, of exactly this generation. */
    record ComposeSource(String name, long generation) {}

    /** Reads the metadata of an object. */
    Mono<ObjectDescription> get(ObjectRef object) {
        GcsFailureContext operation = GcsFailureContext.read("HEAD", object);
        return client.exchange(operation, GcsRequest.object("GET", object).with("fields", FIELDS))
                .map(resource -> read(operation, resource));
    }

    /** Stores an object. */
    Mono<ObjectDescription> insert(
            ObjectRef object, NewObjectMetadata fields, GenerationCondition condition, UploadBody body) {
        GcsFailureContext operation = GcsFailureContext.write("PUT", object);
        ObjectNode resource = fields.toJson().put("name", object.key().value());
        GcsRequest request = condition.addTo(GcsRequest.upload(object.bucket())
                .with("uploadType", "multipart")
                .with("fields", FIELDS));
        return client.upload(operation, request, resource, fields.contentType(), body)
                .map(stored -> read(operation, stored));
    }

    /**
     * Deletes an object.
     *
     * @param generation only this one, which then leaves no noncurrent version; the current one if empty
     */
    Mono<Void> delete(ObjectRef object, Optional<Long> generation, GenerationCondition condition) {
        GcsRequest request = GcsRequest.object("DELETE", object).with("generation", generation);
        return client.exchange(GcsFailureContext.change("DELETE", object), condition.addTo(request))
                .then();
    }

    /**
     * Copies an object. A large one, to another location or storage class, takes several requests.
     *
     * @param sourceGeneration the generation that the source must have
     * @param fields the metadata of the copy; that of the source if empty
     */
    Mono<ObjectDescription> rewrite(
            ObjectRef source,
            long sourceGeneration,
            ObjectRef target,
            Optional<NewObjectMetadata> fields,
            GenerationCondition condition) {
        GcsFailureContext operation = GcsFailureContext.copy(source, target);
        GcsRequest request = condition
                .addTo(GcsRequest.rewrite(source, target))
                .with("ifSourceGenerationMatch", Long.toString(sourceGeneration));
        ObjectNode resource = fields.map(NewObjectMetadata::toJson)
                .orElseGet(() -> JsonMapper.shared().createObjectNode());
        return rewrite(operation, request, resource, Optional.empty());
    }

    private Mono<ObjectDescription> rewrite(
            GcsFailureContext operation, GcsRequest request, ObjectNode resource, Optional<String> token) {
        return client.exchangeLong(operation, request.with("rewriteToken", token), resource)
                .flatMap(received -> {
                    String next = received.path("rewriteToken").asString("");
                    if (received.has("resource") && received.path("done").asBoolean(true)) {
                        return Mono.fromSupplier(() -> read(operation, received.path("resource")));
                    }
                    return next.isEmpty()
                            ? Mono.error(client.map(
                                    operation,
                                    new BackendException(
                                            FailureKind.INVALID_RESPONSE, "the copy is not done and has no token")))
                            : rewrite(operation, request, resource, Optional.of(next));
                });
    }

    /**
     * Makes an object of up to 32 others of its bucket, in this order. They stay.
     *
     * @param fields the metadata of the object
     */
    Mono<ObjectDescription> compose(
            ObjectRef target, List<ComposeSource> sources, NewObjectMetadata fields, GenerationCondition condition) {
        GcsFailureContext operation = GcsFailureContext.change("compose", target);
        ObjectNode body = JsonMapper.shared().createObjectNode();
        ArrayNode list = body.putArray("sourceObjects");
        sources.forEach(source ->
                list.addObject().put("name", source.name()).put("generation", Long.toString(source.generation())));
        body.set("destination", fields.toJson());
        return client.exchangeLong(operation, condition.addTo(GcsRequest.compose(target)), body)
                .map(resource -> read(operation, resource));
    }

    /**
     * Lists one page, which has something on it unless it is the last: the server ends pages early rather than look for
     * long.
     */
    Mono<ObjectListPage> list(ObjectListQuery query) {
        GcsFailureContext operation = GcsFailureContext.bucket("list", query.bucket(), false);
        GcsRequest request = GcsRequest.objects("GET", query.bucket())
                .with("fields", LISTED_FIELDS)
                .with("maxResults", Integer.toString(query.maxResults()))
                .withNonEmpty("prefix", query.prefix())
                .withNonEmpty("delimiter", query.delimiter())
                .withNonEmpty("startOffset", query.startOffset())
                .with("pageToken", query.token());
        return client.exchange(operation, request)
                .map(page -> readPage(operation, page))
                .flatMap(page -> page.isEmpty() && page.token().isPresent()
                        ? list(query.after(page.token().get()))
                        : Mono.just(page));
    }

    /** Lists all objects of a query, page by page. */
    Flux<NamedObject> listAll(ObjectListQuery query) {
        return list(query)
                .expand(page ->
                        page.token().map(token -> list(query.after(token))).orElse(Mono.empty()))
                .concatMapIterable(ObjectListPage::objects);
    }

    /** Asks whether a bucket exists; fails with {@link FailureKind#NO_SUCH_BUCKET} if it does not. */
    Mono<Void> requireBucket(BucketName bucket) {
        return list(new ObjectListQuery(bucket, "", "", "", 1, Optional.empty()))
                .then();
    }

    private ObjectListPage readPage(GcsFailureContext operation, JsonNode page) {
        List<NamedObject> objects = new ArrayList<>();
        for (JsonNode item : page.path("items")) {
            objects.add(new NamedObject(item.path("name").asString(""), read(operation, item)));
        }
        List<String> prefixes = new ArrayList<>();
        page.path("prefixes").forEach(prefix -> prefixes.add(prefix.asString("")));
        Optional<String> token =
                Optional.of(page.path("nextPageToken").asString("")).filter(text -> !text.isEmpty());
        return new ObjectListPage(objects, prefixes, token);
    }

    private ObjectDescription read(GcsFailureContext operation, JsonNode resource) {
        try {
            return ObjectDescriptionReader.json(resource);
        } catch (BackendException unreadable) {
            throw client.map(operation, operation.write() ? unknownOutcome(unreadable) : unreadable);
        }
    }

    private static BackendException unknownOutcome(BackendException unreadable) {
        return new BackendException(
                FailureKind.UNAVAILABLE,
                unreadable.getMessage() + "; the outcome is unknown: the server may have done it");
    }
}
