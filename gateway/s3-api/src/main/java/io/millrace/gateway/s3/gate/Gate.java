package io.millrace.gateway.s3.gate;

import io.millrace.auth.AuthException;
import io.millrace.auth.Authentication;
import io.millrace.auth.SignatureScheme;
import io.millrace.auth.policy.AccessPolicy;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.Right;
import io.millrace.auth.post.PostVerifier;
import io.millrace.auth.post.VerifiedPost;
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
 * The one gate: every request passes it before anything is done for it. It verifies who asks, finds out what is asked, and
 * lets the policy decide. It reads no body and asks no backend, so a refused request costs its head. A browser's form is the
 * one exception: who sends it stands in its fields, and so it passes twice.
 */
public final class Gate {
    /**
     * Of a form, who asks and whether they may stands in its fields: the handler brings them to {@link #admitForm}. Browsers ask
     * ahead without a signature, and learn only what scripts may do.
     */
    private static final Set<S3Operation> FOR_EVERYBODY =
            EnumSet.of(S3Operation.POST_OBJECT, S3Operation.PREFLIGHT_BUCKET, S3Operation.PREFLIGHT_OBJECT);

    private final RequestVerifier verifier;
    private final PostVerifier forms;
    private final AccessPolicy policy;
    private final DocumentReader documents = DocumentReader.ofHeap();

    /** A gate where {@code verifier} tells who asks, and {@code policy} what they may. */
    public Gate(RequestVerifier verifier, AccessPolicy policy, InstantSource clock) {
        this.verifier = verifier;
        this.forms = new PostVerifier(verifier, clock);
        this.policy = policy;
    }

    /**
     * Admits a request.
     *
     * @throws S3Exception the error it ends with otherwise: of its signature, of its operation, or AccessDenied
     */
    public AuthorizedRequest admit(S3Request request) {
        // A browser asks ahead at the very URL that it will use: a signature in there is of another method.
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
     * Admits the form that an admitted {@link S3Operation#POST_OBJECT} carries: its fields sign it.
     *
     * @param fields by name in lower case, as they will be used
     * @throws S3Exception the error it ends with otherwise
     */
    public AuthorizedForm admitForm(AuthorizedRequest post, Map<String, String> fields, ObjectKey key) {
        try {
            VerifiedPost grant = forms.verify(fields, post.bucket().value());
            Principal who = grant.who().principal();
            if (!policy.allows(who, Right.WRITE, post.bucket(), Optional.of(key))) {
                throw new S3Exception(S3ErrorCode.ACCESS_DENIED);
            }
            boolean mayAdminister = policy.allows(who, Right.ADMIN, post.bucket(), Optional.of(key));
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

    /** A stranger learns nothing of what is implemented: whatever nobody may do anonymously is denied. */
    private static Route route(S3Request request, boolean anonymous) {
        try {
            return Router.route(request);
        } catch (S3Exception notServed) {
            throw anonymous ? new S3Exception(S3ErrorCode.ACCESS_DENIED) : notServed;
        }
    }

    /** What nobody knows is only believed under a signature, and version 2 does not sign what it does not know. */
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

    private boolean isAllowed(S3Request request, S3Operation operation, Principal who, boolean anonymous) {
        if (request.target().bucket().isEmpty()) {
            return !anonymous;
        }
        BucketName bucket = request.target().bucket().get();
        if (FOR_EVERYBODY.contains(operation)) {
            return true;
        }
        if (anonymous && isForTheKnown(operation)) {
            return false;
        }
        if (operation == S3Operation.UNKNOWN) {
            return allowsUnknown(request, who, bucket);
        }
        if (operation == S3Operation.DELETE_OBJECTS) {
            // Each key is looked at when it is known; who may delete none is not listened to for so long.
            return policy.allowsSomewhere(who, Right.DELETE, bucket);
        }
        if (operation.right().isEmpty()) {
            return policy.seesBucket(who, bucket);
        }
        Right right = operation.right().get();
        return right == Right.LIST
                ? policy.allowsListing(
                        who, bucket, request.target().parameter("prefix").orElse(""))
                : policy.allows(who, right, bucket, request.target().key());
    }

    /** The right that a method needs whatever the request means: about a bucket on all of it. No right includes another. */
    private boolean allowsUnknown(S3Request request, Principal who, BucketName bucket) {
        boolean reads = request.isRead();
        Optional<ObjectKey> key = request.target().key();
        if (key.isPresent()) {
            Right right = reads ? Right.READ : request.method().equals("DELETE") ? Right.DELETE : Right.WRITE;
            // A POST may answer with what is stored, as SelectObjectContent does.
            boolean mayAnswer = !request.method().equals("POST") || policy.allows(who, Right.READ, bucket, key);
            return mayAnswer && policy.allows(who, right, bucket, key) && allowsKnownPart(request, who, bucket);
        }
        if (reads) {
            return policy.allowsListing(who, bucket, "");
        }
        boolean deletesObjects = request.target().parameter("delete").isPresent();
        return policy.allows(who, Right.ADMIN, bucket, key)
                && (!deletesObjects || policy.allowsBelow(who, Right.DELETE, bucket, ""));
    }

    /** What the request would be without the unknown is not got by a right of its method alone. */
    private boolean allowsKnownPart(S3Request request, Principal who, BucketName bucket) {
        return Router.known(request)
                .flatMap(S3Operation::right)
                .map(right -> policy.allows(who, right, bucket, request.target().key()))
                .orElse(true);
    }

    /** What is kept beside objects is not what anybody was allowed to read or list; attributes say no more than a read does. */
    private static boolean isForTheKnown(S3Operation operation) {
        return operation.role() == S3Operation.Role.CONFIGURATION && operation != S3Operation.GET_OBJECT_ATTRIBUTES;
    }
}
