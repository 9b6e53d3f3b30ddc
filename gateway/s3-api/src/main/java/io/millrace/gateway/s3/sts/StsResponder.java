package io.millrace.gateway.s3.sts;

import io.millrace.auth.Credential;
import io.millrace.auth.SignatureSettings;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.session.CredentialFinder;
import io.millrace.auth.session.RoleRegistry;
import io.millrace.auth.session.Sessions;
import io.millrace.auth.session.StsSettings;
import io.millrace.auth.session.WebIdentityVerifier;
import io.millrace.auth.signature.StsRequestVerifier;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.audit.AuditLog;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.RequestTarget;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.gateway.s3.server.RequestObservation;
import io.millrace.gateway.s3.server.UngatedResponder;
import io.millrace.gateway.s3.sts.StsException.Code;
import io.millrace.kit.XmlText;
import io.millrace.kit.XmlWriter;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;

/**
 * Responds to requests of STS: forms that are posted to the root of the S3 port or to {@code /sts}. Whoever can connect
 * may send them, so their number, size and time are limited, and no network's may keep out those of others. What names
 * a known access key has memory, slots and threads of its own, so that nothing that strangers send keeps it out.
 * Thread-safe.
 */
public final class StsResponder implements UngatedResponder {
    private static final String NAMESPACE = "https://sts.amazonaws.com/doc/2011-06-15/";

    /** The path beside the root, as if it were a bucket; some SDKs add a slash. */
    private static final BucketName PATH = new BucketName("sts");

    private static final String FORM = "application/x-www-form-urlencoded";
    private static final String VERSION = "2011-06-15";

    /** The memory for bodies of each kind, in bytes: thousands of usual ones. */
    static final int BODY_BYTES = 4 << 20;

    /** Verifies tokens of identity providers. All snapshots of the settings share these and the next. */
    private static final StsWorkers<Long> UNSIGNED = new StsWorkers<>("sts", 4);

    private static final StsWorkers<String> SIGNED = new StsWorkers<>("sts-signed", 2);

    private final boolean plainHttp;
    private final Optional<AssumeRoleWithWebIdentity> assumption;
    private final Optional<AssumeRoleOrGetSessionToken> issuance;
    private final StsAudit audit;
    private final CallerIdentity caller;
    private final StsBodyReader unsignedBodies = new StsBodyReader(BODY_BYTES);
    private final StsBodyReader signedBodies = new StsBodyReader(BODY_BYTES);

    /**
     * @param sessions empty if there are no roles
     * @param audit empty if there is no audit log
     */
    public StsResponder(
            StsSettings settings,
            CredentialFinder credentials,
            Optional<Sessions> sessions,
            SignatureSettings signatures,
            Optional<AuditLog> audit,
            InstantSource clock) {
        RoleRegistry roles = new RoleRegistry(settings.roles());
        this.plainHttp = settings.plainHttp();
        this.assumption = sessions.map(issuer ->
                new AssumeRoleWithWebIdentity(new WebIdentityVerifier(settings.issuers(), clock), roles, issuer));
        this.issuance = sessions.map(issuer -> new AssumeRoleOrGetSessionToken(roles, issuer));
        this.audit = new StsAudit(audit, clock);
        this.caller = new CallerIdentity(new StsRequestVerifier(credentials, signatures, clock));
    }

    /** {@inheritDoc} S3 has no operation with this method, path and type. */
    @Override
    public boolean accepts(S3Request request) {
        return request.method().equals("POST")
                && isAt(request.target())
                && request.headers()
                        .first("content-type")
                        .filter(type -> type.toLowerCase(Locale.ROOT).startsWith(FORM))
                        .isPresent();
    }

    /** A bucket of that name keeps what has a query, such as DeleteObjects. */
    private static boolean isAt(RequestTarget target) {
        return target.bucket().isEmpty()
                || (target.bucket().get().equals(PATH)
                        && target.key().isEmpty()
                        && target.query().isEmpty());
    }

    @Override
    public Mono<S3Response> respond(S3Request request, RequestObservation observation) {
        return Mono.defer(
                        () -> caller.namesKnownKey(request) ? signedBodies.read(request) : unsignedBodies.read(request))
                .flatMap(form -> run(request, form, StsParameters.parse(form), observation))
                .map(document -> S3Response.xml(200, HeaderList.EMPTY, document))
                .onErrorResume(StsException.class, e -> Mono.just(error(e, request.requestId(), observation)));
    }

    private Mono<ByteBuffer> run(
            S3Request request, byte[] form, StsParameters parameters, RequestObservation observation) {
        if (!parameters.required("Version").equals(VERSION)) {
            throw unknownAction();
        }
        StsOperation operation =
                StsOperation.find(parameters.required("Action")).orElseThrow(StsResponder::unknownAction);
        observation.requested(operation);
        if (operation == StsOperation.ASSUME_ROLE_WITH_WEB_IDENTITY) {
            long network = request.source().network();
            return issue(request, parameters, Optional.empty(), () -> assumeByToken(request, parameters, network));
        }
        Credential signer = signer(request, form, parameters);
        observation.authenticated(signer.principal(), operation);
        return operation == StsOperation.GET_CALLER_IDENTITY
                ? Mono.fromSupplier(() -> CallerIdentity.run(signer.principal(), parameters, request.requestId()))
                : issue(
                        request,
                        parameters,
                        Optional.of(signer.principal()),
                        () -> whileSigned(
                                signer.principal(),
                                request,
                                form,
                                () -> issued(operation, signer, parameters, request)));
    }

    private IssuedCredentials issued(
            StsOperation operation, Credential signer, StsParameters parameters, S3Request request) {
        AssumeRoleOrGetSessionToken issuer = issuance.orElseThrow();
        if (operation == StsOperation.ASSUME_ROLE) {
            return issuer.assumeRole(signer, parameters, request.requestId());
        }
        boolean isTemporary = request.headers().first("x-amz-security-token").isPresent();
        return issuer.getSessionToken(signer.principal(), isTemporary, parameters, request.requestId());
    }

    private Mono<IssuedCredentials> assumeByToken(S3Request request, StsParameters parameters, long network) {
        return UNSIGNED.run(network, () -> assumption.orElseThrow().run(parameters, network, request.requestId()));
    }

    /**
     * Issues credentials if their signer is not revoked yet, though the request may have waited: a revocation ends
     * sessions that were issued before it.
     */
    private Mono<IssuedCredentials> whileSigned(
            Principal signer, S3Request request, byte[] form, Supplier<IssuedCredentials> operation) {
        return SIGNED.run(signer.accountableName(), () -> {
            IssuedCredentials issued = operation.get();
            Credential unused = caller.verified(request, form);
            return Mono.just(issued);
        });
    }

    /** Issues credentials, and records that or the refusal in the audit log. */
    private Mono<ByteBuffer> issue(
            S3Request request,
            StsParameters parameters,
            Optional<Principal> signer,
            Supplier<Mono<IssuedCredentials>> operation) {
        return Mono.defer(() -> {
                    requireIssuing(request);
                    return operation.get();
                })
                .doOnNext(issued -> audit.issued(request, parameters, signer, issued))
                .doOnError(StsException.class, refusal -> audit.refused(request, parameters, signer, refusal))
                .map(IssuedCredentials::document);
    }

    private void requireIssuing(S3Request request) {
        if (issuance.isEmpty()) {
            throw new StsException(Code.ACCESS_DENIED, "There are no roles here.");
        }
        if (!plainHttp && !request.source().isSecure()) {
            throw new StsException(
                    Code.ACCESS_DENIED, "Temporary credentials are not issued over plain HTTP: use TLS.");
        }
        audit.requireWritable();
    }

    private Credential signer(S3Request request, byte[] form, StsParameters parameters) {
        try {
            return caller.verified(request, form);
        } catch (StsException refusal) {
            audit.refused(request, parameters, Optional.empty(), refusal);
            throw refusal;
        }
    }

    private static S3Response error(StsException failure, String requestId, RequestObservation observation) {
        String message = String.valueOf(failure.getMessage());
        observation.failed(
                new S3Exception(failure.code().status(), failure.code().text(), message));
        return S3Response.xml(
                failure.code().status(),
                HeaderList.EMPTY,
                XmlWriter.of("ErrorResponse", NAMESPACE)
                        .open("Error")
                        .element("Type", "Sender")
                        .element("Code", failure.code().text())
                        .element("Message", XmlText.representable(message))
                        .close()
                        .element("RequestId", requestId)
                        .bytes());
    }

    /** Returns the document of a successful response, whose elements {@code result} writes. */
    static ByteBuffer document(StsOperation operation, String requestId, UnaryOperator<XmlWriter> result) {
        String action = operation.wireName();
        XmlWriter opened = XmlWriter.of(action + "Response", NAMESPACE).open(action + "Result");
        return result.apply(opened)
                .close()
                .open("ResponseMetadata")
                .element("RequestId", requestId)
                .close()
                .bytes();
    }

    private static StsException unknownAction() {
        return new StsException(
                Code.INVALID_ACTION,
                "The operations here are %s, %s, %s and %s of %s."
                        .formatted(
                                StsOperation.ASSUME_ROLE_WITH_WEB_IDENTITY.wireName(),
                                StsOperation.ASSUME_ROLE.wireName(),
                                StsOperation.GET_SESSION_TOKEN.wireName(),
                                StsOperation.GET_CALLER_IDENTITY.wireName(),
                                VERSION));
    }
}
