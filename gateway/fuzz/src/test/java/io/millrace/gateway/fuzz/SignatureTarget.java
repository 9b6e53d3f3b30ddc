package io.millrace.gateway.fuzz;

import io.millrace.auth.policy.Principal;
import java.util.Optional;

/**
 * Requests signed by header or by query, of version 4 and 2, right, wrong or by halves. Nobody is anybody whose
 * signature is not right by AWS's pages; and what is right by them (an input has {@code @} where that is to be put) is
 * right here.
 */
final class SignatureTarget extends FuzzTarget {
    @Override
    void judge(Input input) {
        Optional<String> right = rightSignature(input);
        boolean filled =
                right.isPresent() && hasOnePlace(input) && claimed(input).equals("@");
        Input sent = filled ? filled(input, right.get()) : input;
        Served served = counted(gateway.serve(sent));
        boolean admitted = !served.who().isEmpty() && !served.who().equals(Principal.ANONYMOUS.name());
        // A stranger is denied what is not served, and is not told so.
        boolean known = admitted || (served.who().isEmpty() && served.status() == 501);
        if (known) {
            require(right.isPresent() && (filled || claimed(input).equals(right.get())), "forged", sent);
        }
        boolean version4 = !claimed(input).isEmpty() && claimed(sent).length() == 64;
        require(
                !filled || !version4 || !served.code().equals("SignatureDoesNotMatch"),
                "a right signature is refused",
                sent);
    }

    private static String claimed(Input input) {
        return HeaderClaim.of(input)
                .map(HeaderClaim::signature)
                .or(() -> QueryClaim.of(input).map(QueryClaim::signature))
                .orElse("");
    }

    private static Optional<String> rightSignature(Input input) {
        Optional<HeaderClaim> header = HeaderClaim.of(input);
        Optional<QueryClaim> query = QueryClaim.of(input);
        if (header.isPresent() == query.isPresent()) {
            return Optional.empty();
        }
        return header.flatMap(HeaderClaim::rightSignature).or(() -> query.flatMap(QueryClaim::rightSignature));
    }

    /** Else what is put there would change what was signed. */
    private static boolean hasOnePlace(Input input) {
        return input.target().indexOf("@") == input.target().lastIndexOf("@");
    }

    private static Input filled(Input input, String signature) {
        if (input.all("authorization").isEmpty()) {
            return input.withTarget(
                    input.target().replace("Signature=@", "Signature=" + Percent.encoded(signature, false)));
        }
        String header = input.all("authorization").get(0);
        return input.without("authorization").with("authorization", header.replaceFirst("@", signature));
    }
}
