package io.millrace.gateway.s3.gate;

import io.millrace.auth.UriEncoding;
import java.time.Duration;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;

/** The ways in which a test forges a request's authentication. */
enum Forgery {
    UNKNOWN_ACCESS_KEY(claim -> claim.by("NOBODY", claim.secretKey())),
    WRONG_SECRET(claim -> claim.by(claim.accessKey(), "wrong-" + claim.secretKey())),
    FLIPPED_SIGNATURE(claim -> claim, (proof, right) -> flipped(proof)),
    SIGNED_FOR_ANOTHER_METHOD(claim -> claim.ofMethod(claim.method().equals("HEAD") ? "GET" : "HEAD")),
    SIGNED_FOR_ANOTHER_PATH(claim -> claim.ofTarget(otherPath(claim.target()))),
    /** A parameter that every version signs was added or removed afterwards. */
    SIGNED_FOR_ANOTHER_QUERY(
            claim -> claim.ofTarget(claim.target() + (claim.target().contains("?") ? "&" : "?") + "versionId=x")),
    OUT_OF_TIME(claim -> claim.signedAt(claim.at().minus(Duration.ofHours(2)))),
    CREDENTIAL_IN_QUERY_SIGNATURE_IN_HEADER(claim -> claim, (proof, right) -> signatureInHeader(proof)),
    CREDENTIAL_IN_HEADER_SIGNATURE_IN_QUERY(claim -> claim, (proof, right) -> signatureInQuery(proof)),
    /** Each of the two alone would be valid. */
    BOTH_PLACES(claim -> claim, SignatureProof::and),
    NO_RIGHT_THERE(claim -> claim.by(GateMatrixTest.STRANGER, GateMatrixTest.STRANGER_SECRET));

    @SuppressWarnings("ImmutableEnumChecker") // lambdas that hold nothing
    private final UnaryOperator<ClaimedIdentity> lie;

    @SuppressWarnings("ImmutableEnumChecker") // lambdas that hold nothing
    private final BinaryOperator<SignatureProof> tamper;

    Forgery(UnaryOperator<ClaimedIdentity> lie) {
        this(lie, (proof, right) -> proof);
    }

    Forgery(UnaryOperator<ClaimedIdentity> lie, BinaryOperator<SignatureProof> tamper) {
        this.lie = lie;
        this.tamper = tamper;
    }

    /** Returns the forged authentication of the request in {@code claim}. */
    SignatureProof forge(AuthenticationType type, ClaimedIdentity claim) {
        SignatureProof proof = type.prove(lie.apply(claim));
        AuthenticationType other =
                proof.authorization().isPresent() ? AuthenticationType.V4_QUERY : AuthenticationType.V4_HEADER;
        return tamper.apply(proof, other.prove(claim));
    }

    private static String otherPath(String target) {
        int mark = target.indexOf('?');
        String query = mark < 0 ? "" : target.substring(mark);
        return (mark < 0 ? target : target.substring(0, mark)) + "x" + query;
    }

    private static SignatureProof flipped(SignatureProof proof) {
        if (proof.authorization().isPresent()) {
            return proof.with("authorization", flipLast(proof.authorization().get()));
        }
        String signature = proof.parameterEnding("Signature");
        String name = proof.parameters().stream().anyMatch(p -> p.startsWith("Signature=")) ? "" : "X-Amz-";
        char first = signature.isEmpty() ? 'a' : signature.charAt(0);
        return proof.withoutParameterEnding("Signature")
                .withParameter(name + "Signature=" + (first == 'a' ? 'b' : 'a')
                        + (signature.isEmpty() ? "" : signature.substring(1)));
    }

    private static String flipLast(String text) {
        char last = text.charAt(text.length() - 1);
        return text.substring(0, text.length() - 1) + (last == 'a' ? 'b' : 'a');
    }

    private static SignatureProof signatureInHeader(SignatureProof proof) {
        if (proof.authorization().isEmpty()) {
            return proof.withoutParameterEnding("Signature")
                    .with("authorization", "AWS4-HMAC-SHA256 Signature=" + proof.parameterEnding("Signature"));
        }
        String header = proof.authorization().get();
        return proof.withParameter("X-Amz-Credential=" + UriEncoding.ofQuery(between(header, "Credential=", ",")))
                .with("authorization", header.replaceFirst("Credential=[^,]*, ", ""));
    }

    private static SignatureProof signatureInQuery(SignatureProof proof) {
        if (proof.authorization().isEmpty()) {
            String credential = proof.parameterEnding("Credential") + proof.parameterEnding("AWSAccessKeyId");
            return proof.withoutParameterEnding("Credential")
                    .withoutParameterEnding("AWSAccessKeyId")
                    .with(
                            "authorization",
                            "AWS4-HMAC-SHA256 Credential=" + credential.replace("%2F", "/") + ", SignedHeaders=host");
        }
        String header = proof.authorization().get();
        return proof.withParameter("X-Amz-Signature=" + UriEncoding.ofQuery(between(header, "Signature=", ",")))
                .with("authorization", header.replaceFirst(", Signature=.*", ""));
    }

    private static String between(String text, String start, String end) {
        int from = text.indexOf(start);
        int to = text.indexOf(end, Math.max(from, 0));
        return from < 0 ? text : text.substring(from + start.length(), to < 0 ? text.length() : to);
    }
}
