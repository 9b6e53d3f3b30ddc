package io.millrace.gateway.s3.gate;

import io.millrace.auth.Authentication;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.SignatureScheme;
import io.millrace.auth.policy.AccessScope;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.PolicyAction;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.Right;
import io.millrace.auth.signature.RequestVerifier;
import io.millrace.auth.signature.UploadFormVerification;
import io.millrace.auth.signature.UploadFormVerifier;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.RdmaOffer;
import io.millrace.gateway.s3.protocol.Route;
import io.millrace.gateway.s3.protocol.Router;
import io.millrace.gateway.s3.protocol.S3Operation;
import io.millrace.gateway.s3.protocol.S3Request;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Authenticates and authorizes every request before a handler sees it. It reads no body and sends nothing to a backend,
 * so a rejected request costs only its headers. A browser's form passes twice, because its fields hold the signature.
 */
public final class S3RequestAuthorizer {
    /**
     * The operations that every client may start. The handler of a form passes its fields to {@link #admitForm} for
     * authentication. Preflight requests of browsers have no signature, and return only CORS rules.
     */
    private static final Set<S3Operation> FOR_EVERYBODY =
            EnumSet.of(S3Operation.POST_OBJECT, S3Operation.PREFLIGHT_BUCKET, S3Operation.PREFLIGHT_OBJECT);

    private final RequestVerifier verifier;
    private final UploadFormVerifier forms;
    private final Authorizer authorizer;
    private final DocumentReader documents = DocumentReader.ofHeap();

    /** Callback that learns the principal and the operation of a request. */
    @FunctionalInterface
    public interface AdmissionObserver {
        void authenticated(Principal principal, S3Operation operation);
    }

    /** Creates a gate that authenticates by {@code verifier} and authorizes by {@code authorizer}. */
    public S3RequestAuthorizer(RequestVerifier verifier, Authorizer authorizer, InstantSource clock) {
        this.verifier = verifier;
        this.forms = new UploadFormVerifier(verifier, clock);
        this.authorizer = authorizer;
    }

    /**
     * Authenticates and authorizes a request.
     *
     * @throws S3Exception if the signature or the operation is invalid, or AccessDenied
     */
    public AuthorizedRequest admit(S3Request request) {
        return admit(request, (principal, operation) -> {});
    }

    /**
     * Authenticates and authorizes a request.
     *
     * @param observer learns who asks for what before that is allowed or denied
     * @throws S3Exception if the signature or the operation is invalid, or AccessDenied
     */
    public AuthorizedRequest admit(S3Request request, AdmissionObserver observer) {
        // A preflight request has the URL of the request that follows, so a signature in it is for another method.
        Authentication authentication =
                request.method().equals("OPTIONS") ? new Authentication.Anonymous() : authenticate(request);
        boolean anonymous = authentication instanceof Authentication.Anonymous;
        Route route = route(request, anonymous);
        S3Operation operation = route.operation();
        observer.authenticated(authentication.principal(), operation);
        RdmaOffer.refuseWrite(request);
        requireSigned(route, authentication);
        Principal sender = authentication.principal().from(request.source());
        Optional<ObjectKey> archive = ExtractionHeader.archive(request, operation, authentication);
        boolean isAllowed = archive.isPresent()
                ? allowsMembers(request, operation, sender, archive.get())
                : isAllowed(request, operation, sender, anonymous);
        if (!isAllowed) {
            throw new S3Exception(S3ErrorCode.ACCESS_DENIED);
        }
        return new AuthorizedRequest(request, route, authentication, sender, archive, authorizer, documents);
    }

    /**
     * Authenticates and authorizes the form that an admitted {@link S3Operation#POST_OBJECT} carries, by the signature
     * in its fields.
     *
     * @param fields by name in lower case, with the values that will be used
     * @throws S3Exception if the signature or the policy document is invalid, or AccessDenied; NotImplemented for an
     *     {@link RdmaOffer}
     */
    public AuthorizedForm admitForm(AuthorizedRequest post, Map<String, String> fields, ObjectKey key) {
        RdmaOffer.refuseForm(fields.keySet());
        try {
            UploadFormVerification grant = forms.verify(fields, post.bucket().value());
            Principal principal =
                    grant.authentication().principal().from(post.request().source());
            AccessScope.Resource object = AccessScope.object(post.bucket(), key);
            boolean isAllowed = allows(principal, PolicyAction.PUT_OBJECT, object)
                    && allowsAll(principal, AdditionalActions.ofForm(fields.keySet()), object);
            if (!post.remember(principal.name(), post.bucket(), key, isAllowed)) {
                throw new S3Exception(S3ErrorCode.ACCESS_DENIED);
            }
            return new AuthorizedForm(grant, fields, allows(principal, Right.ADMIN, object));
        } catch (RequestVerificationException refused) {
            throw SignatureErrorMapper.toS3(refused);
        }
    }

    private Authentication authenticate(S3Request request) {
        try {
            return verifier.verify(request);
        } catch (RequestVerificationException refused) {
            throw SignatureErrorMapper.toS3(refused);
        }
    }

    /**
     * Finds the route. An anonymous caller gets AccessDenied instead of the router's error, and so does not learn
     * which operations are implemented.
     */
    private static Route route(S3Request request, boolean anonymous) {
        try {
            return Router.route(request);
        } catch (S3Exception notServed) {
            throw anonymous ? new S3Exception(S3ErrorCode.ACCESS_DENIED) : notServed;
        }
    }

    /** Rejects unknown fields that the signature does not cover; signature version 2 covers none. */
    private static void requireSigned(Route route, Authentication authentication) {
        if (route.unknown().isEmpty()) {
            return;
        }
        if (!(authentication instanceof Authentication.Signed signed)) {
            throw new S3Exception(S3ErrorCode.ACCESS_DENIED);
        }
        if (signed.scheme() == SignatureScheme.V2_QUERY) {
            throw route.unknown().get(0).refused("signature version 2 does not sign it.");
        }
    }

    private boolean isAllowed(S3Request request, S3Operation operation, Principal principal, boolean anonymous) {
        if (request.target().bucket().isEmpty()) {
            // The handler shows only buckets that the caller may see.
            return !anonymous
                    && !authorizer
                            .decide(principal, PolicyAction.LIST_ALL_MY_BUCKETS, AccessScope.ALL_BUCKETS)
                            .isDeniedByStatement();
        }
        BucketName bucket = request.target().bucket().get();
        if (FOR_EVERYBODY.contains(operation)) {
            return true;
        }
        if (anonymous && requiresIdentity(operation)) {
            return false;
        }
        if (operation == S3Operation.UNKNOWN) {
            return allowsUnknown(request, principal);
        }
        if (operation == S3Operation.DELETE_OBJECTS) {
            // The handler authorizes each key. A caller who may delete no key at all is rejected before the body is
            // read.
            AccessScope somewhere = new AccessScope.Somewhere(bucket);
            return allows(principal, PolicyAction.DELETE_OBJECT, somewhere)
                    || allows(principal, PolicyAction.DELETE_OBJECT_VERSION, somewhere);
        }
        if (operation == S3Operation.GET_BATCH) {
            // As above: the handler authorizes each item.
            return allows(principal, PolicyAction.GET_OBJECT, new AccessScope.Somewhere(bucket));
        }
        PolicyAction action = operation.action().orElseThrow();
        if (operation.isAboutExistence()) {
            return authorizer.seesBucket(principal, bucket)
                    && !authorizer
                            .decide(principal, action, AccessScope.bucket(bucket))
                            .isDeniedByStatement();
        }
        return operation.isListing()
                ? allows(principal, action, new AccessScope.Listing(bucket, request.target()::parameter))
                : allowsOperation(request, operation, principal);
    }

    /**
     * Returns whether the caller may read or list the members of an archive: whoever may read all of it. A right to the
     * key of a member is none to the archive. Names in an archive are its content, so a list of them needs both rights.
     */
    private boolean allowsMembers(S3Request request, S3Operation operation, Principal principal, ObjectKey archive) {
        BucketName bucket = request.target().bucket().orElseThrow();
        AccessScope scope = new AccessScope.Version(AccessScope.object(bucket, archive));
        return allows(principal, PolicyAction.GET_OBJECT, scope)
                && (!operation.isListing() || isAllowed(request, operation, principal, principal.isAnonymous()));
    }

    private boolean allowsOperation(S3Request request, S3Operation operation, Principal principal) {
        AccessScope.Resource named = AdditionalActions.isOfVersion(request)
                ? target(request).with(request.target()::parameter)
                : target(request);
        return allows(principal, operation.action().orElseThrow(), new AccessScope.Version(named))
                && allowsAll(principal, AdditionalActions.of(request, operation), named);
    }

    private boolean allows(Principal principal, PolicyAction action, AccessScope scope) {
        return authorizer.decide(principal, action, scope).isAllowed();
    }

    private boolean allows(Principal principal, Right right, AccessScope.Resource resource) {
        return authorizer.decide(principal, right, resource).isAllowed();
    }

    private boolean allowsAll(Principal principal, Set<PolicyAction> actions, AccessScope scope) {
        for (PolicyAction action : actions) {
            if (!allows(principal, action, scope)) {
                return false;
            }
        }
        return true;
    }

    private static AccessScope.Resource target(S3Request request) {
        return AccessScope.resource(
                request.target().bucket().orElseThrow(), request.target().key());
    }

    /**
     * Returns whether the caller has the right that the method needs, with all its actions, whatever an unknown field
     * means, and is denied nothing that it might ask for. For a request about a bucket, the right must cover all of it.
     * No right includes another.
     */
    private boolean allowsUnknown(S3Request request, Principal principal) {
        AccessScope.Resource target = target(request);
        Right right = rightOfUnknown(request);
        if (!allows(principal, right.action(), new AccessScope.Undenied(target)) || !allows(principal, right, target)) {
            return false;
        }
        if (target.key().isPresent()) {
            // The response to a POST may hold stored data, as SelectObjectContent's does.
            boolean mayRespond = !request.method().equals("POST") || allows(principal, Right.READ, target);
            return mayRespond && allowsBaseOperation(request, principal);
        }
        boolean deletesObjects =
                !request.isRead() && request.target().parameter("delete").isPresent();
        return !deletesObjects
                || allowsAll(principal, Right.DELETE.actions(), new AccessScope.KeysBelow(target.bucket(), ""));
    }

    private static Right rightOfUnknown(S3Request request) {
        if (request.target().key().isEmpty()) {
            return request.isRead() ? Right.LIST : Right.ADMIN;
        }
        return request.isRead() ? Right.READ : request.method().equals("DELETE") ? Right.DELETE : Right.WRITE;
    }

    /**
     * Returns whether the caller may also do what the request would be without its unknown fields, and what its headers
     * set.
     */
    private boolean allowsBaseOperation(S3Request request, Principal principal) {
        return Router.baseOperation(request)
                        .filter(operation -> operation.action().isPresent())
                        .map(operation -> allowsOperation(request, operation, principal))
                        .orElse(true)
                && allowsAll(principal, AdditionalActions.of(request, S3Operation.UNKNOWN), target(request));
    }

    /**
     * Returns whether the operation needs an authenticated caller. A public right to read or list does not cover
     * configuration; attributes reveal no more than a read.
     */
    private static boolean requiresIdentity(S3Operation operation) {
        return operation.role() == S3Operation.Role.CONFIGURATION && operation != S3Operation.GET_OBJECT_ATTRIBUTES;
    }
}
