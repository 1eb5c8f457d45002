#!/bin/sh
# Takes away what `npm run bench -- peers` has installed on Debian. Packages that you want for something else, too: leave them out below.
set -eu
exec apt-get remove -y --autoremove nginx apache2-bin rclone memcached swift-proxy swift-account swift-container swift-object
