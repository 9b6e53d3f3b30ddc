package io.millrace.gateway.fuzz;

import io.millrace.gateway.fuzz.FuzzRequest.What;
import io.millrace.gateway.fuzz.FuzzedGateway.FuzzPrincipal;
import java.util.Optional;

/**
 * Copies, whole and into parts, inside one backend and from one to another, asked by a neighbour who may work inside a
 * wall. No spelling of the source reads outside of it, and what is read is what a slow reading of the spelling names.
 */
final class CopySourceTarget extends FuzzTarget {
    private static final String SOURCE = "x-amz-copy-source";
    private static final String VERSION = "?versionId=";

    @Override
    void judge(Input input) {
        Input sent = Version4.sign(input.withMethod("PUT").withBody(""), FuzzPrincipal.NEIGHBOUR);
        Served served = counted(gateway.serve(sent));
        Optional<Where> source = source(sent);
        Optional<Where> target = Where.of(sent);
        for (FuzzRequest asked : served.requested()) {
            Wall.require(asked);
            boolean read = asked.what() == What.SOURCE || asked.what() == What.READ;
            require(isAt(read ? source : target, asked), "another object", asked, sent);
        }
    }

    private static boolean isAt(Optional<Where> where, FuzzRequest asked) {
        return where.filter(w -> w.bucket().equals(asked.bucket())
                        && (asked.what() == What.BUCKET || Percent.text(w.key()).equals(asked.key())))
                .isPresent();
    }

    private static Optional<Where> source(Input input) {
        return input.all(SOURCE).stream()
                .findFirst()
                .or(() -> Percent.query(input.target()).stream()
                        .flatMap(query -> query.stream())
                        .filter(pair -> pair.name().equalsIgnoreCase(SOURCE))
                        .map(Percent.Pair::value)
                        .findFirst())
                .flatMap(CopySourceTarget::where);
    }

    private static Optional<Where> where(String value) {
        int version = value.lastIndexOf(VERSION);
        return Percent.decoded(version < 0 ? value : value.substring(0, version), false)
                .map(path -> path.startsWith("/") ? path.substring(1) : path)
                .filter(path -> path.contains("/"))
                .map(path -> new Where(path.substring(0, path.indexOf('/')), path.substring(path.indexOf('/') + 1)));
    }
}
