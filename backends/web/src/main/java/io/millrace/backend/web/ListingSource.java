package io.millrace.backend.web;

/** The source of the listings of a web server's objects. */
public enum ListingSource {
    /** There is none: requests to list are refused. */
    NONE,
    /** The index pages that the server makes of its folders. */
    INDEX,
    /** A file with one key a line. */
    MANIFEST
}
