// The same pushes as bare-loop.ts makes, by sideshow/apns2, the client that Gorush sends with: one APNs host, one token, as
// many at once as it is asked for. Prints the milliseconds of each round, a line each.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sideshow/apns2"
	"github.com/sideshow/apns2/token"
	"golang.org/x/net/http2"
)

func main() {
	host := flag.String("host", "", "the peer's origin")
	ca := flag.String("ca", "", "file with the authority of the peer's certificate, PEM")
	key := flag.String("key", "", "file with the signing key, PKCS #8 PEM")
	keyID := flag.String("key-id", "", "its id")
	teamID := flag.String("team-id", "", "the team's")
	topic := flag.String("topic", "", "of the app")
	body := flag.String("body", "", "of each push")
	pushes := flag.Int64("pushes", 0, "of a round")
	connections := flag.Int("connections", 1, "each a client of its own")
	streams := flag.Int("streams", 500, "at once on each")
	flag.Parse()

	signing, err := token.AuthKeyFromFile(*key)
	check(err)
	authority, err := os.ReadFile(*ca)
	check(err)
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		log.Fatal("no certificate in " + *ca)
	}
	clients := make([]*apns2.Client, *connections)
	for i := range clients {
		clients[i] = apns2.NewTokenClient(&token.Token{AuthKey: signing, KeyID: *keyID, TeamID: *teamID})
		clients[i].Host = *host
		clients[i].HTTPClient = &http.Client{
			Transport: &http2.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}},
			Timeout:   apns2.HTTPClientTimeout,
		}
	}
	// A round for each line of input, so that whoever asks decides when.
	for {
		var line string
		if _, err := fmt.Scanln(&line); err != nil {
			return
		}
		begun := time.Now()
		round(clients, *topic, []byte(*body), *pushes, *streams)
		fmt.Println(time.Since(begun).Milliseconds())
	}
}

func round(clients []*apns2.Client, topic string, body []byte, pushes int64, streams int) {
	left := pushes
	var workers sync.WaitGroup
	for _, client := range clients {
		for range streams {
			workers.Add(1)
			go func() {
				defer workers.Done()
				for {
					at := atomic.AddInt64(&left, -1)
					if at < 0 {
						return
					}
					answer, err := client.Push(&apns2.Notification{
						DeviceToken: deviceToken(at),
						Topic:       topic,
						PushType:    apns2.PushTypeAlert,
						ApnsID:      fmt.Sprintf("8f14e45f-ceea-867a-8d2a-%012d", at),
						Payload:     body,
					})
					check(err)
					if !answer.Sent() {
						log.Fatalf("answered with %d", answer.StatusCode)
					}
				}
			}()
		}
	}
	workers.Wait()
}

// As long as Apple's own.
func deviceToken(at int64) string {
	digits := fmt.Sprint(at)
	return strings.Repeat("t", 64-len(digits)) + digits
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
