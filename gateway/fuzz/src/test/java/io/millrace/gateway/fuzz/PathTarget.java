package io.millrace.gateway.fuzz;

import io.millrace.auth.UriEncoding;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.fuzz.FuzzedGateway.FuzzPrincipal;
import io.millrace.gateway.s3.protocol.RequestTarget;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Targets of requests, whatever the operation, asked by a neighbour who may work inside a wall and nowhere else. What a
 * backend is asked for is what the target names, and lies inside the wall; and reading a target twice gives the same.
 */
final class PathTarget extends FuzzTarget {
    @Override
    void judge(Input input) {
        Input sent = Version4.sign(input.withBody(""), FuzzPrincipal.NEIGHBOUR);
        Served served = counted(gateway.serve(sent));
        Optional<Where> where = Where.of(sent);
        boolean copies = served.operation()
                .filter(operation -> operation.wireName().contains("Copy"))
                .isPresent();
        for (FuzzRequest asked : served.requested()) {
            Wall.require(asked);
            boolean ofTheSource =
                    copies && (asked.what() == FuzzRequest.What.SOURCE || asked.what() == FuzzRequest.What.READ);
            boolean sameBucket = where.isPresent() && where.get().bucket().equals(asked.bucket());
            boolean aboutTheBucket = asked.what() == FuzzRequest.What.LIST || asked.what() == FuzzRequest.What.BUCKET;
            boolean sameKey =
                    where.isPresent() && Percent.text(where.get().key()).equals(asked.key());
            require(ofTheSource || (sameBucket && (aboutTheBucket || sameKey)), "another object", asked, sent);
        }
        readTwice(sent);
    }

    private static void readTwice(Input input) {
        RequestTarget read;
        try {
            read = RequestTarget.parse(input.target(), Optional.empty());
        } catch (S3Exception refused) {
            return;
        }
        require(RequestTarget.parse(input.target(), Optional.empty()).equals(read), "another one", read);
        String query = read.query().stream()
                .map(parameter -> UriEncoding.ofQuery(parameter.name()) + '=' + UriEncoding.ofQuery(parameter.value()))
                .collect(Collectors.joining("&"));
        RequestTarget again = RequestTarget.parse(UriEncoding.ofPath(read.path()) + '?' + query, Optional.empty());
        boolean same = again.bucket().equals(read.bucket())
                && again.key().equals(read.key())
                && again.path().equals(read.path())
                && List.copyOf(again.query()).equals(read.query());
        require(same, "not the same when written and read again", read);
    }
}
