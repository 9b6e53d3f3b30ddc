package io.millrace.gateway.s3.gate;

import io.millrace.auth.AuthException;
import io.millrace.auth.Authentication;
import io.millrace.auth.SignatureScheme;
import io.millrace.auth.policy.AccessPolicy;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.Right;
import io.millrace.auth.post.UploadFormVerifier;
import io.millrace.auth.post.VerifiedUploadForm;
import io.millrace.auth.signature.RequestVerifier;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.routing.Route;
import io.millrace.gateway.s3.routing.Router;
import io.millrace.gateway.s3.routing.S3Operation;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Authenticates and authorizes every request before a handler sees it. It reads no body and sends nothing to a backend,
 * so a rejected request costs only its headers. A browser's form passes twice, because its fields hold the signature.
 */
public final class Gate {
    /**
     * The operations that every client may start. The handler of a form passes its fields to {@link #admitForm} for
     * authentication. Preflight requests of browsers have no signature, and return only CORS rules.
     */
    private static final Set<S3Operation> FOR_EVERYBODY =
            EnumSet.of(S3Operation.POST_OBJECT, S3Operation.PREFLIGHT_BUCKET, S3Operation.PREFLIGHT_OBJECT);

    private final RequestVerifier verifier;
    private final UploadFormVerifier forms;
    private final AccessPolicy policy;
    private final DocumentReader documents = DocumentReader.ofHeap();

    /** Creates a gate that authenticates by {@code verifier} and authorizes by {@code policy}. */
    public Gate(RequestVerifier verifier, AccessPolicy policy, InstantSource clock) {
        this.verifier = verifier;
        this.forms = new UploadFormVerifier(verifier, clock);
        this.policy = policy;
    }

    /**
     * Authenticates and authorizes a request.
     *
     * @throws S3Exception if the signature or the operation is invalid, or AccessDenied
     */
    public AuthorizedRequest admit(S3Request request) {
        // A preflight request has the URL of the request that follows, so a signature in it is for another method.
        Authentication authentication =
                request.method().equals("OPTIONS") ? new Authentication.Anonymous() : authenticate(request);
        boolean anonymous = authentication instanceof Authentication.Anonymous;
        Route route = route(request, anonymous);
        S3Operation operation = route.operation();
        requireSigned(route, authentication);
        if (!isAllowed(request, operation, authentication.principal(), anonymous)) {
            throw new S3Exception(S3ErrorCode.ACCESS_DENIED);
        }
        return new AuthorizedRequest(request, route, authentication, policy, documents);
    }

    /**
     * Authenticates and authorizes the form that an admitted {@link S3Operation#POST_OBJECT} carries, by the signature
     * in its fields.
     *
     * @param fields by name in lower case, with the values that will be used
     * @throws S3Exception if the signature or the policy document is invalid, or AccessDenied
     */
    public AuthorizedForm admitForm(AuthorizedRequest post, Map<String, String> fields, ObjectKey key) {
        try {
            VerifiedUploadForm grant = forms.verify(fields, post.bucket().value());
            Principal principal = grant.authentication().principal();
            if (!policy.allows(principal, Right.WRITE, post.bucket(), Optional.of(key))) {
                throw new S3Exception(S3ErrorCode.ACCESS_DENIED);
            }
            boolean mayAdminister = policy.allows(principal, Right.ADMIN, post.bucket(), Optional.of(key));
            return new AuthorizedForm(grant, fields, mayAdminister);
        } catch (AuthException refused) {
            throw SignatureErrors.toS3(refused);
        }
    }

    private Authentication authenticate(S3Request request) {
        try {
            return verifier.verify(request);
        } catch (AuthException refused) {
            throw SignatureErrors.toS3(refused);
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
            return !anonymous;
        }
        BucketName bucket = request.target().bucket().get();
        if (FOR_EVERYBODY.contains(operation)) {
            return true;
        }
        if (anonymous && requiresIdentity(operation)) {
            return false;
        }
        if (operation == S3Operation.UNKNOWN) {
            return allowsUnknown(request, principal, bucket);
        }
        if (operation == S3Operation.DELETE_OBJECTS) {
            // The handler authorizes each key. A caller who may delete no key at all is rejected before the body is
            // read.
            return policy.allowsSomewhere(principal, Right.DELETE, bucket);
        }
        if (operation.right().isEmpty()) {
            return policy.seesBucket(principal, bucket);
        }
        Right right = operation.right().get();
        return right == Right.LIST
                ? policy.allowsListing(
                        principal, bucket, request.target().parameter("prefix").orElse(""))
                : policy.allows(principal, right, bucket, request.target().key());
    }

    /**
     * Returns whether the caller has the right that the method needs, whatever an unknown field means. For a request
     * about a bucket, the right must cover all of it. No right includes another.
     */
    private boolean allowsUnknown(S3Request request, Principal principal, BucketName bucket) {
        boolean reads = request.isRead();
        Optional<ObjectKey> key = request.target().key();
        if (key.isPresent()) {
            Right right = reads ? Right.READ : request.method().equals("DELETE") ? Right.DELETE : Right.WRITE;
            // The response to a POST may hold stored data, as SelectObjectContent's does.
            boolean mayRespond = !request.method().equals("POST") || policy.allows(principal, Right.READ, bucket, key);
            return mayRespond
                    && policy.allows(principal, right, bucket, key)
                    && allowsBaseOperation(request, principal, bucket);
        }
        if (reads) {
            return policy.allowsListing(principal, bucket, "");
        }
        boolean deletesObjects = request.target().parameter("delete").isPresent();
        return policy.allows(principal, Right.ADMIN, bucket, key)
                && (!deletesObjects || policy.allowsBelow(principal, Right.DELETE, bucket, ""));
    }

    /**
     * Returns whether the caller also has the right for the operation that the request would be without its unknown
     * fields.
     */
    private boolean allowsBaseOperation(S3Request request, Principal principal, BucketName bucket) {
        return Router.baseOperation(request)
                .flatMap(S3Operation::right)
                .map(right ->
                        policy.allows(principal, right, bucket, request.target().key()))
                .orElse(true);
    }

    /**
     * Returns whether the operation needs an authenticated caller. A public right to read or list does not cover
     * configuration; attributes reveal no more than a read.
     */
    private static boolean requiresIdentity(S3Operation operation) {
        return operation.role() == S3Operation.Role.CONFIGURATION && operation != S3Operation.GET_OBJECT_ATTRIBUTES;
    }
}
