package io.millrace.gateway.observe;

/** Every meter there is: its name at {@code /metrics} (dots become underscores), and what it says. */
public enum Meter {
    FIRST_BYTE(
            "millrace.s3.first.byte",
            "From the request's head to the first byte of the answer's body, by operation and outcome"),
    REQUEST(
            "millrace.s3.request",
            "From the request's head to the last byte taken by the socket, by operation and outcome"),
    IN_FLIGHT("millrace.s3.in.flight", "Requests being answered now"),
    BYTES_OUT("millrace.s3.bytes.out", "Bytes of bodies written to clients, by operation"),
    BYTES_IN("millrace.s3.bytes.in", "Bytes of bodies announced with admitted requests, by operation"),
    BACKEND_CALL("millrace.backend.call", "From a call of a backend to its head, by backend, operation and outcome"),
    BACKEND_BYTES_IN("millrace.backend.bytes.in", "Bytes of bodies read from backends, by backend");

    private final String wireName;
    private final String description;

    Meter(String wireName, String description) {
        this.wireName = wireName;
        this.description = description;
    }

    public String wireName() {
        return wireName;
    }

    public String description() {
        return description;
    }
}
